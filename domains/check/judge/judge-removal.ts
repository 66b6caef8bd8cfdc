// A removal: the domain is no longer served, and all others respond as before.
import type { Probe, Purpose } from '../facts.ts'
import {
  ambiguous,
  blocked,
  breach,
  declared,
  describeResponse,
  type HostScene,
  observed,
  pass,
  probesFor,
  type Result,
  redirectHost,
  showsMarker,
} from '../scene.ts'
import { verifies } from './judge-dns.ts'
import { findGrounds } from './judge-pages.ts'

/** Whether a response is still that of the attached domain; null if that is not known. */
const isStill = (scene: HostScene, probe: Probe): boolean | null => {
  const { redirect, settings } = scene
  if (!probe.response) return false
  if (redirect) return redirectHost(probe) === redirect.to
  if (settings.marker !== null) return showsMarker(probe, settings.marker)
  const page = scene.before.find(({ response }) => response)
  const { status, body } = probe.response
  if (status < 200 || status > 299) return false
  return page?.response?.body === body ? true : null
}

const judgeGone = (scene: HostScene, purpose: Purpose): Result => {
  const isServed = (probe: Probe) => isStill(scene, probe)
  if (!scene.before.some(isServed)) return blocked('it did not work before it was removed')
  const after = probesFor(scene, purpose)
  if (after.length === 0) return blocked('there was no such connection')
  if (purpose === 'held' && after.every(({ failed }) => failed !== null)) {
    return blocked('the held connection was closed in the meantime')
  }
  if (after.every(({ failed }) => failed?.stage === 'connect')) {
    return blocked('no address could be reached')
  }
  const still = after.find(isServed)
  if (still) {
    const lateMs = Date.parse(still.at) - scene.atMs
    const actual = `${describeResponse(still)}, ${lateMs} ms after the removal`
    return breach('nothing of the domain', actual, still)
  }
  return after.some((probe) => isServed(probe) === null)
    ? ambiguous('2xx with another page: identify the project with --marker')
    : pass(after.map(describeResponse).join(', '))
}

/** One way in which the removed domain is requested again. */
const gone = (
  purpose: Purpose,
  sends: string,
  inconclusive = 'it did not work before it was removed (blocked)',
) => ({
  requirement: 'publishing.removed' as const,
  sends,
  fails: 'The response is still the project or its redirect.',
  inconclusive,
  judge: (scene: HostScene) => judgeGone(scene, purpose),
  grounds: findGrounds(purpose),
})

/** Checks of the domain that was removed. */
export const removedChecks = declared({
  'removed-fresh': gone('page', '`GET` of the page of the removed domain, on a new connection.'),
  'removed-plain-http': gone('plain', 'The same over plain HTTP.'),
  'removed-held': gone(
    'held',
    'The same on a connection that was opened before the removal.',
    'the held connection was closed in the meantime (blocked)',
  ),
  'removed-resumed': gone(
    'resumed',
    'The same in a TLS session from before the removal.',
    'no session could be resumed (blocked)',
  ),
  'removed-other-sni': gone(
    'other-sni',
    'The same after a handshake that names another domain of the project.',
  ),
  'removed-after': {
    requirement: 'publishing.removed-after',
    sends: 'The requests of `removed-fresh`.',
    fails: 'The response, the certificate, and whether its DNS still points to the platform.',
    inconclusive: 'it was not requested (blocked)',
    judge: (scene) => {
      const [page] = probesFor(scene, 'page')
      if (!page) return blocked('it was not requested')
      const dangles = verifies(scene) === true
      const left = dangles
        ? '; its DNS still points to the platform, where others may claim it'
        : ''
      const named = page.tls?.namesHost ? 'its own' : "another's"
      const presented = page.tls === null ? 'none' : named
      return observed(`${describeResponse(page)}; certificate: ${presented}${left}`)
    },
    grounds: findGrounds('page'),
  },
})

/** The part of a response that must not change. */
const essence = (probe: Probe | undefined): string =>
  probe?.response ? `${probe.response.status} ${redirectHost(probe) ?? ''}`.trim() : 'no response'

/** Checks of each other domain. */
export const keptChecks = declared({
  'removed-alone': {
    requirement: 'publishing.removed-alone',
    sends: '`GET` of the page of each other domain, before and after.',
    fails: 'Another status, or a redirect to another host.',
    inconclusive: 'it did not respond both times (blocked)',
    judge: (scene) => {
      const later = probesFor(scene, 'page')
      const pairs = scene.before
        .map((before) => [before, later.find((each) => each.address === before.address)] as const)
        .filter(([before, again]) => before.response && again?.response)
      if (pairs.length === 0) return blocked('it did not respond both times')
      const changed = pairs.find(([before, again]) => essence(before) !== essence(again))
      return changed
        ? breach(essence(changed[0]), essence(changed[1]), changed[1])
        : pass(`as before: ${essence(pairs[0]?.[0])}`)
    },
    grounds: findGrounds('page'),
  },
})
