// The removal of a domain: that it stops at once in every way, and that the others remain.
import { isLost, type Probe, type Purpose } from '../facts.ts'
import {
  ambiguous,
  blocked,
  breach,
  declared,
  describeResponse,
  type HostScene,
  inapplicable,
  observed,
  pass,
  probesFor,
  type Result,
  redirectHost,
  showsMarker,
} from '../scene.ts'
import { verifies } from './judge-dns.ts'
import { findGrounds } from './judge-pages.ts'

/**
 * Whether a response is still that of the attached domain: its redirect, or a page of the project;
 * null if that is not known.
 */
const isStill = (scene: HostScene, probe: Probe): boolean | null => {
  const { redirect, settings } = scene
  if (!probe.response) return false
  if (redirect && redirectHost(probe) === redirect.to) return true
  const { status, body } = probe.response
  if (settings.marker !== null) return showsMarker(probe, settings.marker)
  if (status < 200 || status > 299) return false
  return scene.before.some(({ response }) => response?.body === body) ? true : null
}

const judgeGone = (scene: HostScene, purpose: Purpose): Result => {
  const isServed = (probe: Probe) => isStill(scene, probe)
  if (!scene.before.some(isServed)) return blocked('it did not work before it was removed')
  const after = probesFor(scene, purpose)
  if (after.length === 0) return inapplicable('there is no such connection')
  // On a closed connection nothing is served, whichever side closed it.
  const isClosed = ({ failed }: Probe) => purpose === 'held' && failed?.code !== 'ETIMEDOUT'
  if (after.every((one) => isLost(one) && !isClosed(one))) return blocked('no address responded')
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
const gone = (purpose: Purpose, sends: string) => ({
  requirement: 'publishing.removed' as const,
  sends,
  fails: 'The response is still the project or its redirect.',
  inconclusive: 'it did not work before it was removed (blocked)',
  judge: (scene: HostScene) => judgeGone(scene, purpose),
  grounds: findGrounds(purpose),
})

/** Checks of the domain that was removed. */
export const removedChecks = declared({
  'removed-fresh': gone('page', '`GET` of the page of the removed domain, on a new connection.'),
  'removed-plain-http': gone('plain', 'The same over plain HTTP.'),
  'removed-held': gone('held', 'The same on a connection that was opened before the removal.'),
  'removed-resumed': gone('resumed', 'The same in a TLS session from before the removal.'),
  'removed-other-sni': gone(
    'other-sni',
    'The same after a handshake that names another domain of the project.',
  ),
  'removed-dns': {
    requirement: 'publishing.removed-dns',
    sends: 'The DNS queries for the removed domain.',
    fails: 'Its record still leads to the platform, where another project may claim the domain.',
    inconclusive: 'its DNS is not known (blocked)',
    judge: (scene) => {
      const holds = verifies(scene)
      if (holds === null) return blocked('its DNS is not known')
      const [page] = probesFor(scene, 'page')
      const now = page ? ` (now ${describeResponse(page)})` : ''
      const actual = `its DNS still points to the platform${now}, where others may claim it`
      if (!holds) return pass('it does not')
      const fix = `remove the ${scene.dns.isApex ? 'ALIAS or ANAME' : 'CNAME'} of ${scene.host}`
      return { ...breach('no record that leads to the platform', actual), fix }
    },
    grounds: ({ host, dns }) => [{ name: host, type: dns.isApex ? 'A' : 'CNAME' }],
  },
  'removed-after': {
    requirement: 'publishing.removed-after',
    sends: 'The requests of `removed-fresh`.',
    fails: 'The response, and the certificate.',
    inconclusive: 'it was not requested (blocked)',
    judge: (scene) => {
      const [page] = probesFor(scene, 'page')
      if (!page) return blocked('it was not requested')
      const named = page.tls?.namesHost ? 'its own' : "another's"
      const presented = page.tls === null ? 'none' : named
      return observed(`${describeResponse(page)}; certificate: ${presented}`)
    },
    grounds: findGrounds('page'),
  },
})

/** The part of a response that must not change. */
const essence = (probe: Probe): string =>
  probe.response
    ? `${probe.response.status} ${redirectHost(probe) ?? ''}`.trim()
    : describeResponse(probe)

/** Checks of each other domain. */
export const keptChecks = declared({
  'removed-alone': {
    requirement: 'publishing.removed-alone',
    sends: '`GET` of the page of each other domain, before and after.',
    fails: 'Another status, a redirect to another host, or no response any more.',
    inconclusive: 'it did not respond both times (blocked)',
    judge: (scene) => {
      const later = probesFor(scene, 'page')
      const pairs = scene.before.flatMap((before) => {
        const again = later.find(({ address }) => address === before.address)
        // No response may have other causes; a refused handshake or a closed connection has none.
        return before.response && again && !isLost(again) ? [[before, again] as const] : []
      })
      const [first] = pairs
      if (!first) return blocked('it did not respond both times')
      const changed = pairs.find(([before, again]) => essence(before) !== essence(again))
      return changed
        ? breach(essence(changed[0]), essence(changed[1]), changed[1])
        : pass(`as before: ${essence(first[0])}`)
    },
    grounds: findGrounds('page'),
  },
})
