// The facts as checks look at them: by host, with the platform's addresses, and what a response
// shows: the project's page, a redirect and where it leads, or something else.
import { domainToASCII } from 'node:url'
import type { RedirectConfig } from '../rules/lint.ts'
import { type Facts, type HttpFacts, hostsOf, type Probe, type Purpose } from './facts.ts'
import {
  type CaaView,
  caaViewOf,
  doubledName,
  type HostView,
  lookIn,
  platformAddressesOf,
  viewOf,
} from './walk.ts'

export interface HostScene {
  readonly host: string
  /** Undefined: it is the primary domain. */
  readonly redirect: RedirectConfig | undefined
  /** As the first resolver sees it. */
  readonly dns: HostView
  readonly caa: CaaView
  /** Whether the record was set at the name with its zone written twice. */
  readonly doubled: boolean
  /** As the other resolvers see it. */
  readonly elsewhere: readonly HostView[]
  readonly probes: readonly Probe[]
}

export interface Scene {
  readonly facts: Facts
  readonly platform: readonly string[]
  /** Why the platform's addresses are not known. */
  readonly platformTrouble: string | null
  readonly hosts: readonly HostScene[]
  readonly atMs: number
}

const emptyTable = { resolver: '', replies: {} }

export const sceneOf = (facts: Facts): Scene => {
  const { settings, config, dns } = facts
  const [first = emptyTable, ...others] = dns
  const look = lookIn(first)
  const hosts = hostsOf(config).map((host) => ({
    host,
    redirect: config.redirects.find(({ from }) => from === host),
    dns: viewOf(look, host),
    caa: caaViewOf(look, host),
    doubled: viewOf(look, doubledName(host)).cnames.length > 0,
    elsewhere: others.map((table) => viewOf(lookIn(table), host)),
    probes: facts.probes.filter((probe) => probe.host === host),
  }))
  const platform = platformAddressesOf(dns, settings)
  const { addressTrouble } = viewOf(look, settings.platformHost)
  const none = addressTrouble ?? `${settings.platformHost} has no address`
  const platformTrouble = platform.length === 0 ? none : null
  return { facts, platform, platformTrouble, hosts, atMs: Date.parse(facts.at) }
}

/** The requests of a purpose, to the platform's addresses alone. */
export const probesOf = (
  { platform }: Scene,
  { probes }: Pick<HostScene, 'probes'>,
  purpose: Purpose,
): Probe[] => probes.filter((each) => each.purpose === purpose && platform.includes(each.address))

export const list = (values: readonly string[]): string => values.join(', ') || 'none'

const locationsOf = ({ headers }: HttpFacts): string[] =>
  headers.filter(([name]) => name === 'location').map(([, value]) => value)

/** Where a Location leads, resolved against the request; null: nowhere. */
export const targetOf = (probe: Probe): URL | null => {
  const [location, second] = probe.answer ? locationsOf(probe.answer) : []
  if (location === undefined || second !== undefined) return null
  const target = URL.parse(location, `${probe.scheme}://${probe.host}${probe.path}`)
  return target && ['http:', 'https:'].includes(target.protocol) ? target : null
}

/** The host that a response redirects to, in A-labels; null: it does not redirect to any. */
export const redirectHost = (probe: Probe): string | null => {
  const { status = 0 } = probe.answer ?? {}
  const host = status >= 300 && status <= 399 ? targetOf(probe)?.hostname : undefined
  return host === undefined ? null : domainToASCII(host).replace(/\.$/, '')
}

/** Whether it is the project's page; null if the marker may be in what was cut. */
export const showsMarker = ({ answer }: Probe, marker: string): boolean | null => {
  if (!answer || answer.status < 200 || answer.status > 299) return false
  return answer.body.includes(marker) || (answer.cut ? null : false)
}

/** In a few words, for a report. */
export const describeResponse = ({ answer, failed }: Probe): string => {
  if (!answer) return `no response: ${failed?.code ?? 'unknown'}`
  const to = locationsOf(answer).map((location) => ` with Location ${location.slice(0, 200)}`)
  return `${answer.status}${to.join('')}`
}
