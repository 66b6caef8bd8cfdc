// What is read from a response: where it leads, and whether it is the project's page.
import { domainToASCII } from 'node:url'
import type { HttpFacts, Probe } from './facts.ts'

const locationsOf = ({ headers }: HttpFacts): string[] =>
  headers.filter(([name]) => name === 'location').map(([, value]) => value)

/** The target of a Location, resolved against the request; null: there is none. */
export const targetUrl = (probe: Probe): URL | null => {
  const [location, second] = probe.response ? locationsOf(probe.response) : []
  if (location === undefined || second !== undefined) return null
  const target = URL.parse(location, `${probe.scheme}://${probe.host}${probe.path}`)
  return target && ['http:', 'https:'].includes(target.protocol) ? target : null
}

/** Whether it leads to the same request, with nothing that changes its outcome. */
export const redirectsToItself = (probe: Probe): boolean => {
  const { scheme, host, path, port, response } = probe
  const same = [host, `${host}:${port}`].map((at) => new URL(`${scheme}://${at}${path}`).href)
  const setsCookie = response?.headers.some(([name]) => name === 'set-cookie') ?? false
  return redirectHost(probe) !== null && same.includes(targetUrl(probe)?.href ?? '') && !setsCookie
}

/** The host that a response redirects to, in A-labels; null: it does not redirect to any. */
export const redirectHost = (probe: Probe): string | null => {
  const { status = 0 } = probe.response ?? {}
  const host = status >= 300 && status <= 399 ? targetUrl(probe)?.hostname : undefined
  return host === undefined ? null : domainToASCII(host).replace(/\.$/, '')
}

/** Whether it is the project's page; null if the marker may be in what was cut. */
export const showsMarker = ({ response }: Probe, marker: string): boolean | null => {
  if (!response || response.status < 200 || response.status > 299) return false
  return response.body.includes(marker) || (response.cut ? null : false)
}

export const describeResponse = ({ response, failed }: Probe): string => {
  if (!response) return `no response: ${failed?.code ?? 'unknown'}`
  const to = locationsOf(response).map((location) => ` with Location ${location.slice(0, 200)}`)
  return `${response.status}${to.join('')}`
}
