// The addresses behind a host's name: what stands there may be several replicas.
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'

/** More of them are not asked in turn. */
const most = 16

/** @returns those of a name that has several, and else none: the system then finds its one */
export const addressesOf = async (baseUrl: string): Promise<readonly string[]> => {
  const { hostname } = new URL(baseUrl)
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return []
  try {
    const found = await lookup(hostname, { all: true, family: 4 })
    return found.length > 1 ? found.slice(0, most).map(({ address }) => address) : []
  } catch {
    // Whether there is such a host at all, the first request tells.
    return []
  }
}
