// The judgement of a published project: from facts to findings, and nothing else.
import type { Facts } from '../facts.ts'
import type { Finding } from '../finding.ts'
import { sceneOf } from '../scene.ts'
import { certificateChecks } from './certificate.ts'
import { dnsChecks, propagationChecks } from './dns.ts'
import { pageChecks } from './pages.ts'
import { judgeProject } from './project.ts'
import { judgeRemoval } from './removal.ts'

/** After a removal that alone is judged: the rest is no longer as configured. */
export const judge = (facts: Facts): Finding[] => {
  const scene = sceneOf(facts)
  if (facts.removal !== null) return judgeRemoval(scene, facts.removal)
  const ofHosts = [dnsChecks, propagationChecks, certificateChecks, pageChecks].flatMap((checks) =>
    scene.hosts.flatMap((host) =>
      checks.map(([check, judgeHost, groundsOf]) => ({
        check,
        host: host.host,
        said: judgeHost(scene, host),
        grounds: groundsOf(scene, host),
      })),
    ),
  )
  return [...judgeProject(scene), ...ofHosts]
}
