// Judges a removal: nothing of the domain is served any more, and all others are as they were.
import type { Probe, Purpose, RemovalFacts } from '../facts.ts'
import { breach, type Finding, observed, pass, type Said, untested } from '../finding.ts'
import { redirectHost, showsMarker, tellAnswer } from '../page.ts'
import type { Scene } from '../scene.ts'
import { verifies } from './dns.ts'

/** Whether an answer is still that of the attached domain; null where it cannot be told. */
const isStill = (scene: Scene, { before, host }: RemovalFacts, probe: Probe): boolean | null => {
  const { config, asked } = scene.facts
  const redirect = config.redirects.find(({ from }) => from === host)
  if (!probe.answer) return false
  if (redirect) return redirectHost(probe) === redirect.to
  if (asked.marker !== null) return showsMarker(probe, asked.marker)
  const [page] = before.filter(({ purpose, answer }) => purpose === 'page' && answer)
  if (probe.answer.status < 200 || probe.answer.status > 299) return false
  return page?.answer?.body === probe.answer.body ? true : null
}

const ofHost = (all: readonly Probe[], host: string, purpose: Purpose) =>
  all.filter((probe) => probe.host === host && probe.purpose === purpose)

const judgeGone = (scene: Scene, removal: RemovalFacts, purpose: Purpose): Said => {
  const before = ofHost(removal.before, removal.host, 'page')
  const worked = before.some((probe) => isStill(scene, removal, probe))
  if (!worked) return untested('blocked', 'it did not work before it was removed')
  const after = ofHost(removal.after, removal.host, purpose)
  if (after.length === 0) return untested('blocked', 'the connection was not to be had')
  const isClosed = ({ failed }: Probe) => failed !== null
  if (purpose === 'held' && after.every(isClosed)) {
    return untested('blocked', 'the held connection was closed in the meantime')
  }
  const unreached = after.every(({ failed }) => failed?.stage === 'connect')
  if (unreached) return untested('blocked', 'no address could be reached')
  const still = after.find((probe) => isStill(scene, removal, probe))
  if (still) {
    const lateMs = Date.parse(still.at) - Date.parse(removal.removedAt)
    return breach('nothing of the domain', `${tellAnswer(still)}, ${lateMs} ms after the removal`)
  }
  const unsure = after.some((probe) => isStill(scene, removal, probe) === null)
  return unsure
    ? untested('ambiguous', '2xx with another page; --marker tells whether it is the project')
    : pass(after.map(tellAnswer).join(', '))
}

/** What of an answer has to stay as it was. */
const essence = (probe: Probe | undefined): string =>
  probe?.answer ? `${probe.answer.status} ${redirectHost(probe) ?? ''}`.trim() : 'no answer'

const judgeOther = (removal: RemovalFacts, host: string): Said => {
  const pairs = ofHost(removal.before, host, 'page').map((before) => {
    const same = ({ address }: Probe) => address === before.address
    return [before, ofHost(removal.after, host, 'page').find(same)] as const
  })
  const answered = pairs.filter(([before, after]) => before.answer && after?.answer)
  if (answered.length === 0) return untested('blocked', 'it did not answer both times')
  const changed = answered.find(([before, after]) => essence(before) !== essence(after))
  return changed
    ? breach(essence(changed[0]), essence(changed[1]))
    : pass(`as before: ${essence(answered[0]?.[0])}`)
}

const observeAfter = (scene: Scene, removal: RemovalFacts): Said => {
  const [page] = ofHost(removal.after, removal.host, 'page')
  if (!page) return untested('blocked', 'it was not asked')
  const own = scene.hosts.find(({ host }) => host === removal.host)
  const dangles = own !== undefined && verifies(scene, own) === true
  const left = dangles ? '; its DNS still points at the platform, where others may claim it' : ''
  const presented =
    page.tls === null ? 'no certificate' : page.tls.namesHost ? 'its own' : "another's"
  return observed(`${tellAnswer(page)}; certificate: ${presented}${left}`)
}

const ways: readonly [string, Purpose][] = [
  ['removed-fresh', 'page'],
  ['removed-plain-http', 'plain'],
  ['removed-held', 'held'],
  ['removed-resumed', 'resumed'],
  ['removed-other-sni', 'other-sni'],
]

export const judgeRemoval = (scene: Scene, removal: RemovalFacts): Finding[] => {
  const { host, after } = removal
  const about = (check: string, of: string, said: Said, purpose: Purpose = 'page'): Finding => ({
    check,
    host: of,
    said,
    grounds: ofHost(after, of, purpose).slice(0, 1),
  })
  const others = scene.hosts.map((each) => each.host).filter((each) => each !== host)
  return [
    ...ways.map(([check, purpose]) =>
      about(check, host, judgeGone(scene, removal, purpose), purpose),
    ),
    ...others.map((other) => about('removed-alone', other, judgeOther(removal, other))),
    about('removed-after', host, observeAfter(scene, removal)),
  ]
}
