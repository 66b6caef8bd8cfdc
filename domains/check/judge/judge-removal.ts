// The removal of a domain: that it stops at once in every way, and that the others remain.
import { isLost, type Probe, type Purpose } from '../facts.ts'
import * as is from '../result.ts'
import {
  describeResponse,
  firstFor,
  type HostScene,
  probesFor,
  redirectHost,
  showsMarker,
} from '../scene.ts'
import { verifies } from './judge-dns.ts'

/** Whether a response is still the redirect, or a page of the project; null: it is not known. */
const isStill = ({ redirect, settings, before }: HostScene, probe: Probe): boolean | null => {
  if (!probe.response) return false
  if (redirect && redirectHost(probe) === redirect.to) return true
  const { status, body } = probe.response
  if (settings.marker !== null) return showsMarker(probe, settings.marker)
  if (status < 200 || status > 299) return false
  return before.some(({ response }) => response?.body === body) ? true : null
}

const judgeGone = (scene: HostScene, purpose: Purpose): is.Result => {
  const isServed = (probe: Probe) => isStill(scene, probe)
  if (!scene.before.some(isServed)) return is.blocked('it did not work before it was removed')
  const after = probesFor(scene, purpose)
  if (after.length === 0) return is.inapplicable('there is no such connection')
  // On a closed connection nothing is served, whichever side closed it.
  const isClosed = ({ failed }: Probe) => purpose === 'held' && failed?.code !== 'ETIMEDOUT'
  if (after.every((one) => isLost(one) && !isClosed(one))) {
    return is.blocked('no address responded')
  }
  const still = after.find(isServed)
  if (still) {
    const lateMs = Date.parse(still.at) - scene.atMs
    const actual = `${describeResponse(still)}, ${lateMs} ms after the removal`
    return is.breach('nothing of the domain', actual, { probe: still })
  }
  return after.some((probe) => isServed(probe) === null)
    ? is.ambiguous('2xx with another page: identify the project with --marker')
    : is.pass(after.map(describeResponse).join(', '))
}

/** One way in which the removed domain is requested again. */
const gone = (id: string, purpose: Purpose, sends: string) =>
  is.check(id, 'publishing.removed', {
    sends,
    fails: 'The response is still the project or its redirect.',
    inconclusive: 'it did not work before it was removed (blocked)',
    judge: (scene) => judgeGone(scene, purpose),
    grounds: firstFor(purpose),
  })

/** Checks of the domain that was removed. */
export const removedChecks = [
  gone('removed-fresh', 'page', '`GET` of the page of the removed domain, on a new connection.'),
  gone('removed-plain-http', 'plain', 'The same over plain HTTP.'),
  gone('removed-held', 'held', 'The same on a connection that was opened before the removal.'),
  gone('removed-resumed', 'resumed', 'The same in a TLS session from before the removal.'),
  gone('removed-other-sni', 'other-sni', 'The same after a handshake that names another domain.'),
  is.check('removed-dns', 'publishing.removed-dns', {
    sends: 'The DNS queries for the removed domain.',
    fails: 'Its record still leads to the platform, where another project may claim the domain.',
    inconclusive: 'its DNS is not known (blocked)',
    judge: (scene) => {
      const holds = verifies(scene)
      if (holds === null) return is.blocked('its DNS is not known')
      if (!holds) return is.pass('it does not')
      const [page] = probesFor(scene, 'page')
      const now = page ? ` (now ${describeResponse(page)})` : ''
      const actual = `its DNS still points to the platform${now}, where others may claim it`
      const fix = `remove the ${scene.dns.isApex ? 'ALIAS or ANAME' : 'CNAME'} of ${scene.host}`
      return is.breach('no record that leads to the platform', actual, { fix })
    },
    grounds: ({ host, dns }) => [{ name: host, type: dns.isApex ? 'A' : 'CNAME' }],
  }),
  is.check('removed-after', 'publishing.removed-after', {
    sends: 'The requests of `removed-fresh`.',
    fails: 'The response, and the certificate.',
    inconclusive: 'it was not requested (blocked)',
    judge: (scene) => {
      const [page] = probesFor(scene, 'page')
      if (!page) return is.blocked('it was not requested')
      const named = page.tls?.namesHost ? 'its own' : "another's"
      return is.observed(`${describeResponse(page)}; certificate: ${page.tls ? named : 'none'}`)
    },
  }),
]

/** The part of a response that must not change. */
const essence = (probe: Probe): string =>
  probe.response
    ? `${probe.response.status} ${redirectHost(probe) ?? ''}`.trim()
    : describeResponse(probe)

/** Checks of each other domain. */
export const keptChecks = [
  is.check('removed-alone', 'publishing.removed-alone', {
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
      if (!first) return is.blocked('it did not respond both times')
      const changed = pairs.find(([before, again]) => essence(before) !== essence(again))
      return changed
        ? is.breach(essence(changed[0]), essence(changed[1]), { probe: changed[1] })
        : is.pass(`as before: ${essence(first[0])}`)
    },
  }),
]
