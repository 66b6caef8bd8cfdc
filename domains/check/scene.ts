// What a check of domains judges, the facts by host, and how it is declared: its requirement, how
// `petvet explain` explains it, its verdict, and the evidence of that. All of it is pure.
import { domainToASCII } from 'node:url'
import type { Because } from '../../engine/outcome.ts'
import type { RequirementId } from '../../spec/requirements.ts'
import type { DnsQuestion } from '../rules/dns.ts'
import type { RedirectConfig } from '../rules/lint.ts'
import {
  type CaaView,
  caaViewOf,
  type DnsView,
  dnsViewOf,
  doubledName,
  lookIn,
  platformAddressesOf,
} from './dns-view.ts'
import { type Facts, type HttpFacts, hostsOf, type Probe, type Purpose } from './facts.ts'

interface Scene extends Pick<Facts, 'settings' | 'config'> {
  readonly platform: readonly string[]
  /** Why the platform's addresses are not known. */
  readonly platformTrouble: string | null
  readonly atMs: number
}

/** One domain of the project. */
export interface HostScene extends Scene {
  readonly host: string
  /** Undefined: it is the primary domain. */
  readonly redirect: RedirectConfig | undefined
  /** According to the first resolver. */
  readonly dns: DnsView
  readonly caa: CaaView
  /** Whether the record is at the name with its zone written twice. */
  readonly doubled: boolean
  /** According to the other resolvers. */
  readonly elsewhere: readonly DnsView[]
  /** When its certificate was first seen, if that was watched for. */
  readonly certificateSeen: string | undefined
  /** To the platform's addresses alone. */
  readonly probes: readonly Probe[]
}

/** The project as a whole. */
export interface ProjectScene extends Scene {
  readonly hosts: readonly HostScene[]
  /** Requests of the project's subdomain. */
  readonly probes: readonly Probe[]
}

export const sceneOf = (facts: Facts): ProjectScene => {
  const { settings, config, dns } = facts
  const [first = { resolver: '', replies: {} }, ...others] = dns
  const look = lookIn(first)
  const platform = platformAddressesOf(dns, settings)
  const { addressTrouble } = dnsViewOf(look, settings.platformHost)
  const none = addressTrouble ?? `${settings.platformHost} has no address`
  const platformTrouble = platform.length === 0 ? none : null
  const scene = { settings, config, platform, platformTrouble, atMs: Date.parse(facts.at) }
  const probesTo = (name: string | null) =>
    facts.probes.filter(({ host, address }) => host === name && platform.includes(address))
  const hosts = hostsOf(config).map((host) => ({
    ...scene,
    host,
    redirect: config.redirects.find(({ from }) => from === host),
    dns: dnsViewOf(look, host),
    caa: caaViewOf(look, host),
    doubled: dnsViewOf(look, doubledName(host)).cnames.length > 0,
    elsewhere: others.map((table) => dnsViewOf(lookIn(table), host)),
    certificateSeen: facts.certificateSeen[host],
    probes: probesTo(host),
  }))
  return { ...scene, hosts, probes: probesTo(settings.site) }
}

export const probesOf = ({ probes }: HostScene, purpose: Purpose): Probe[] =>
  probes.filter((each) => each.purpose === purpose)

export const list = (values: readonly string[]): string => values.join(', ') || 'none'

const locationsOf = ({ headers }: HttpFacts): string[] =>
  headers.filter(([name]) => name === 'location').map(([, value]) => value)

/** The target of a Location, resolved against the request; null: there is none. */
export const targetOf = (probe: Probe): URL | null => {
  const [location, second] = probe.response ? locationsOf(probe.response) : []
  if (location === undefined || second !== undefined) return null
  const target = URL.parse(location, `${probe.scheme}://${probe.host}${probe.path}`)
  return target && ['http:', 'https:'].includes(target.protocol) ? target : null
}

/** The host that a response redirects to, in A-labels; null: it does not redirect to any. */
export const redirectHost = (probe: Probe): string | null => {
  const { status = 0 } = probe.response ?? {}
  const host = status >= 300 && status <= 399 ? targetOf(probe)?.hostname : undefined
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

/** @template S what it judges: a host, the project as a whole, or a removal */
export interface DomainCheck<S> {
  /** A report adds the domain: `domain-cname@docs.example.com`. */
  readonly id: string
  readonly requirement: RequirementId
  readonly sends: string
  /** What violates the requirement; of an open one, what is recorded. */
  readonly fails: string
  /** What leaves it inconclusive. */
  readonly inconclusive?: string
  readonly judge: (subject: S) => Result
  /** DNS questions and requests, if any; the last of them shows the result best. */
  readonly grounds?: (subject: S) => readonly (DnsQuestion | Probe)[]
}

export type HostCheck = DomainCheck<HostScene>

export type Result =
  | { readonly kind: 'pass' | 'observed' | 'inapplicable'; readonly detail: string }
  | { readonly kind: 'breach'; readonly expected: string; readonly actual: string }
  | { readonly kind: 'untested'; readonly because: Because; readonly detail: string }

export const pass = (detail: string): Result => ({ kind: 'pass', detail })
export const observed = (detail: string): Result => ({ kind: 'observed', detail })
export const inapplicable = (detail: string): Result => ({ kind: 'inapplicable', detail })
export const breach = (expected: string, actual: string): Result => ({
  kind: 'breach',
  expected,
  actual,
})

const untested = (because: Because, detail: string): Result => ({
  kind: 'untested',
  because,
  detail,
})
/** Something prevents a verdict. */
export const blocked = (detail: string) => untested('blocked', detail)
/** What was observed has several explanations. */
export const ambiguous = (detail: string) => untested('ambiguous', detail)
