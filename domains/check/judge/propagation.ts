// Judges whether a change of the DNS is seen everywhere: all resolvers agree, in 48 hours.
import { breach, type Finding, pass, type Said, untested } from '../finding.ts'
import type { HostScene, Scene } from '../scene.ts'
import { judgeRecord } from './dns.ts'
import { list, sameView, unlessYoung } from './doubt.ts'

const judgePropagation = (scene: Scene, host: HostScene): Said => {
  const { dns, elsewhere } = host
  const { since } = scene.facts.asked
  const trouble = [dns, ...elsewhere].find(({ cnameTrouble }) => cnameTrouble)?.cnameTrouble
  if (trouble) return untested('blocked', trouble)
  const isAgreed = elsewhere.every((view) => sameView(view, dns))
  if (!isAgreed) {
    const others = elsewhere.map(({ chain }) => list(chain)).join(' and ')
    const actual = `${list(dns.chain)} at one, ${others} at another`
    return since === null
      ? untested('ambiguous', `${actual}: --since tells for how long`)
      : unlessYoung(scene, breach('the same records at every resolver', actual))
  }
  if (judgeRecord(scene, host).kind === 'pass' && (elsewhere.length > 0 || since !== null)) {
    return pass(elsewhere.length > 0 ? 'every resolver agrees' : 'it is seen')
  }
  return untested('ambiguous', 'a second --resolver, or --since, would tell')
}

export const judgePropagations = (scene: Scene): Finding[] =>
  scene.hosts.map((host) => ({
    check: 'domain-propagation',
    requirement: 'publishing.propagation',
    host: host.host,
    said: judgePropagation(scene, host),
    grounds: [{ name: host.host, type: host.dns.isApex ? 'A' : 'CNAME' }],
  }))
