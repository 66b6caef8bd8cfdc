// The judgement of a published project: from facts to findings, and nothing else.
import type { DomainCheck, Finding } from '../declare.ts'
import type { Facts } from '../facts.ts'
import { type Scene, sceneOf } from '../scene.ts'
import { certificateChecks } from './certificate.ts'
import { dnsChecks, propagation } from './dns.ts'
import { pageChecks } from './pages.ts'
import { projectChecks } from './project.ts'
import { keptCheck, removedChecks } from './removal.ts'

const hostChecks = [dnsChecks, [propagation], certificateChecks, pageChecks]

/** Every check, as `petvet explain` lists them. */
export const domainChecks = [
  ...hostChecks.flat(),
  ...projectChecks,
  ...removedChecks,
  keptCheck,
] as const

const find = <S>(
  { id, requirement, judge: judgeOne, grounds }: DomainCheck<S>,
  host: string | null,
  scene: Scene,
  subject: S,
): Finding => ({
  check: id,
  requirement,
  host,
  result: judgeOne(scene, subject),
  grounds: grounds(scene, subject),
})

/** After a removal that alone is judged: the rest is no longer as configured. */
export const judge = (facts: Facts): Finding[] => {
  const scene = sceneOf(facts)
  const { removal } = facts
  if (removal !== null) {
    const others = scene.hosts.map(({ host }) => host).filter((host) => host !== removal.host)
    return [
      ...removedChecks.map((check) =>
        find(check, removal.host, scene, { removal, host: removal.host }),
      ),
      ...others.map((host) => find(keptCheck, host, scene, { removal, host })),
    ]
  }
  return [
    ...projectChecks.map((check) => find(check, null, scene, null)),
    ...hostChecks.flatMap((checks) =>
      scene.hosts.flatMap((host) => checks.map((check) => find(check, host.host, scene, host))),
    ),
  ]
}
