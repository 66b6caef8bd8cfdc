// The judgement of a published project: from facts to findings, and nothing else.
import type { Facts } from '../facts.ts'
import type { Finding } from '../finding.ts'
import { sceneOf } from '../scene.ts'
import { judgeCertificates } from './certificate.ts'
import { judgeDns } from './dns.ts'
import { judgePages } from './pages.ts'
import { judgeProject } from './project.ts'
import { judgePropagations } from './propagation.ts'
import { judgeRemoval } from './removal.ts'

/** After a removal that alone is judged: the rest is no longer as configured. */
export const judge = (facts: Facts): Finding[] => {
  const scene = sceneOf(facts)
  if (facts.removal !== null) return judgeRemoval(scene)
  return [
    ...judgeProject(scene),
    ...judgeDns(scene),
    ...judgePropagations(scene),
    ...judgeCertificates(scene),
    ...judgePages(scene),
  ]
}
