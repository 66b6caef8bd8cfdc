// A removal: the domain is no longer served, and all others respond as before.
import {
  ambiguous,
  blocked,
  breach,
  type DomainCheck,
  observed,
  pass,
  type Result,
} from '../declare.ts'
import type { Probe, Purpose, RemovalFacts } from '../facts.ts'
import { describeResponse, redirectHost, type Scene, showsMarker } from '../scene.ts'
import { verifies } from './dns.ts'

/** One domain of the project, around the removal of one. */
export interface RemovalView {
  readonly removal: RemovalFacts
  readonly host: string
}

type RemovalCheck = DomainCheck<RemovalView>

/** Whether a response is still that of the attached domain; null if that is not known. */
const isStill = (scene: Scene, { before, host }: RemovalFacts, probe: Probe): boolean | null => {
  const { config, settings } = scene.facts
  const redirect = config.redirects.find(({ from }) => from === host)
  if (!probe.response) return false
  if (redirect) return redirectHost(probe) === redirect.to
  if (settings.marker !== null) return showsMarker(probe, settings.marker)
  const page = before.find(({ purpose, response }) => purpose === 'page' && response)
  const { status, body } = probe.response
  if (status < 200 || status > 299) return false
  return page?.response?.body === body ? true : null
}

const ofHost = (all: readonly Probe[], host: string, purpose: Purpose) =>
  all.filter((probe) => probe.host === host && probe.purpose === purpose)

const grounds =
  (purpose: Purpose): RemovalCheck['grounds'] =>
  (_scene, { removal, host }) =>
    ofHost(removal.after, host, purpose).slice(0, 1)

const judgeGone = (scene: Scene, removal: RemovalFacts, purpose: Purpose): Result => {
  const { host, removedAt } = removal
  const before = ofHost(removal.before, host, 'page')
  if (!before.some((probe) => isStill(scene, removal, probe))) {
    return blocked('it did not work before it was removed')
  }
  const after = ofHost(removal.after, host, purpose)
  if (after.length === 0) return blocked('there was no such connection')
  if (purpose === 'held' && after.every(({ failed }) => failed !== null)) {
    return blocked('the held connection was closed in the meantime')
  }
  if (after.every(({ failed }) => failed?.stage === 'connect')) {
    return blocked('no address could be reached')
  }
  const still = after.find((probe) => isStill(scene, removal, probe))
  if (still) {
    const lateMs = Date.parse(still.at) - Date.parse(removedAt)
    const actual = `${describeResponse(still)}, ${lateMs} ms after the removal`
    return breach('nothing of the domain', actual)
  }
  const isUnsure = after.some((probe) => isStill(scene, removal, probe) === null)
  return isUnsure
    ? ambiguous('2xx with another page: identify the project with --marker')
    : pass(after.map(describeResponse).join(', '))
}

const notBefore = 'it did not work before it was removed (blocked)'

/** One way in which the removed domain is requested again. */
const gone = (
  [id, purpose, sends]: readonly [string, Purpose, string],
  inconclusive = notBefore,
): RemovalCheck => ({
  id,
  requirement: 'publishing.removed',
  sends,
  fails: 'The response is still the project or its redirect.',
  inconclusive,
  judge: (scene, { removal }) => judgeGone(scene, removal, purpose),
  grounds: grounds(purpose),
})

const after: RemovalCheck = {
  id: 'removed-after',
  requirement: 'publishing.removed-after',
  sends: 'The requests of `removed-fresh`.',
  fails: 'The response, the certificate, and whether its DNS still points to the platform.',
  inconclusive: 'it was not requested (blocked)',
  judge: (scene, { removal, host }) => {
    const [page] = ofHost(removal.after, host, 'page')
    if (!page) return blocked('it was not requested')
    const own = scene.hosts.find((each) => each.host === host)
    const dangles = own !== undefined && verifies(scene, own) === true
    const left = dangles ? '; its DNS still points to the platform, where others may claim it' : ''
    const named = page.tls?.namesHost ? 'its own' : "another's"
    const presented = page.tls === null ? 'none' : named
    return observed(`${describeResponse(page)}; certificate: ${presented}${left}`)
  },
  grounds: grounds('page'),
}

export const removedChecks: readonly RemovalCheck[] = [
  gone(['removed-fresh', 'page', '`GET` of the page of the removed domain, on a new connection.']),
  gone(['removed-plain-http', 'plain', 'The same over plain HTTP.']),
  gone(
    ['removed-held', 'held', 'The same on a connection that was opened before the removal.'],
    'the held connection was closed in the meantime (blocked)',
  ),
  gone(
    ['removed-resumed', 'resumed', 'The same in a TLS session from before the removal.'],
    'no session could be resumed (blocked)',
  ),
  gone([
    'removed-other-sni',
    'other-sni',
    'The same after a handshake that names another domain of the project.',
  ]),
  after,
]

/** The part of a response that must not change. */
const essence = (probe: Probe | undefined): string =>
  probe?.response ? `${probe.response.status} ${redirectHost(probe) ?? ''}`.trim() : 'no response'

export const keptCheck: RemovalCheck = {
  id: 'removed-alone',
  requirement: 'publishing.removed-alone',
  sends: '`GET` of the page of each other domain, before and after.',
  fails: 'Another status, or a redirect to another host.',
  inconclusive: 'it did not respond both times (blocked)',
  judge: (_scene, { removal, host }) => {
    const pairs = ofHost(removal.before, host, 'page').map((before) => {
      const same = ({ address }: Probe) => address === before.address
      return [before, ofHost(removal.after, host, 'page').find(same)] as const
    })
    const answered = pairs.filter(([before, later]) => before.response && later?.response)
    if (answered.length === 0) return blocked('it did not respond both times')
    const changed = answered.find(([before, later]) => essence(before) !== essence(later))
    return changed
      ? breach(essence(changed[0]), essence(changed[1]))
      : pass(`as before: ${essence(answered[0]?.[0])}`)
  },
  grounds: grounds('page'),
}
