// What an answer shows: the project's page, a redirect and where it leads, or something else.
import { domainToASCII } from 'node:url'
import type { HttpFacts, Probe } from './facts.ts'

const headerOf = ({ headers }: HttpFacts, name: string): string[] =>
  headers.filter(([given]) => given === name).map(([, value]) => value)

const isRedirect = ({ status }: HttpFacts) => status >= 300 && status <= 399

/** Where a Location leads, resolved against what was asked for; null: there is no such place. */
export const targetOf = (probe: Probe): URL | null => {
  const [location, second] = probe.answer ? headerOf(probe.answer, 'location') : []
  if (location === undefined || second !== undefined) return null
  const asked = `${probe.scheme}://${probe.host}${probe.path}`
  const target = URL.canParse(location, asked) ? new URL(location, asked) : null
  return target && ['http:', 'https:'].includes(target.protocol) ? target : null
}

/** The host that an answer redirects to, in A-labels; null: it does not redirect to any. */
export const redirectHost = (probe: Probe): string | null => {
  if (!probe.answer || !isRedirect(probe.answer)) return null
  const host = targetOf(probe)?.hostname
  return host === undefined ? null : domainToASCII(host).replace(/\.$/, '')
}

/** Whether it is the project's page; null where the marker may stand in what was cut. */
export const showsMarker = ({ answer }: Probe, marker: string): boolean | null => {
  if (!answer || answer.status < 200 || answer.status > 299) return false
  return answer.body.includes(marker) || (answer.cut ? null : false)
}

/** In a few words, for a report. */
export const tellAnswer = (probe: Probe): string => {
  const { answer, failed } = probe
  if (!answer) return `no answer: ${failed?.code ?? 'unknown'}`
  const locations = headerOf(answer, 'location')
  const to = locations.map((location) => ` with Location ${location.slice(0, 200)}`).join('')
  return `${answer.status}${to}`
}
