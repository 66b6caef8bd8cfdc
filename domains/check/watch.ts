// What a watch waits for, and which domains have not come to it.
import type { Facts } from './facts.ts'
import { certificateState } from './judge/certificate.ts'
import { verifies } from './judge/dns.ts'
import { works } from './judge/pages.ts'
import { sceneOf } from './scene.ts'

export const goals = ['dns', 'certificate', 'gone'] as const
export type Goal = (typeof goals)[number]

/** The domains that are not there yet; with `gone`, those that still work. */
export const missingOf = (facts: Facts, goal: Goal): string[] => {
  const scene = sceneOf(facts)
  const isThere = {
    dns: (host: (typeof scene.hosts)[number]) => verifies(scene, host) === true,
    certificate: (host: (typeof scene.hosts)[number]) => certificateState(scene, host) === 'good',
    gone: (host: (typeof scene.hosts)[number]) => !works(scene, host),
  }[goal]
  return scene.hosts.filter((host) => !isThere(host)).map(({ host }) => host)
}
