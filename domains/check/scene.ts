// What a check of domains judges, the facts by host, and how it is declared: its requirement, how
// `petvet explain` explains it, its verdict, and the evidence of that. All of it is pure.
import { domainToASCII } from 'node:url'
import type { CheckResult } from '../../engine/check/run-file.ts'
import type { RequirementId } from '../../spec/requirements.ts'
import type { DnsQuestion } from '../rules/dns-records.ts'
import { lookIn, lookUpPlatform, viewDns, viewDomain } from './dns-view.ts'
import {
  type DnsTable,
  type Facts,
  type HttpFacts,
  listHosts,
  type Probe,
  type Purpose,
  shownResolver,
} from './facts.ts'

/** The project as a whole. */
export type ProjectScene = ReturnType<typeof buildScene>

/** One domain of the project. */
export type HostScene = ProjectScene['hosts'][number]

const viewAt = (table: DnsTable, host: string) => ({
  ...viewDns(lookIn(table), host),
  /** Whose responses these are. */
  server: shownResolver(table.resolver),
})

export const buildScene = (facts: Facts) => {
  const { settings, config, dns, removal } = facts
  const [first = { resolver: '', replies: {} }, ...others] = dns
  const look = lookIn(first)
  const platform = lookUpPlatform(dns, settings)
  const { addressTrouble } = viewDns(look, settings.platformHost)
  const none = addressTrouble ?? `${settings.platformHost} has no address`
  /** Why the platform's addresses are not known. */
  const platformTrouble = platform.length === 0 ? none : null
  const scene = { settings, config, platform, platformTrouble, atMs: Date.parse(facts.at) }
  const to = (name: string | null) => (probe: Probe) => probe.host === name
  const hosts = listHosts(config).map((host) => ({
    ...scene,
    host,
    /** Undefined: it is the primary domain. */
    redirect: config.redirects.find(({ from }) => from === host),
    /** According to the first resolver. */
    ...viewDomain(look, host),
    dns: viewAt(first, host),
    /** According to the other resolvers. */
    elsewhere: others.map((table) => viewAt(table, host)),
    /** When its certificate was first seen, if that was watched for. */
    certificateSeen: facts.certificateSeen[host],
    /** Those before the removal of a domain are separate. */
    probes: facts.probes.filter(to(host)),
    before: removal?.before.filter(to(host)) ?? [],
  }))
  return { ...scene, hosts, probes: facts.probes.filter(to(settings.site)) }
}

export const probesFor = ({ probes }: HostScene, purpose: Purpose): Probe[] =>
  probes.filter((each) => each.purpose === purpose)

export const list = (values: readonly string[]): string => values.join(', ') || 'none'

const locationsOf = ({ headers }: HttpFacts): string[] =>
  headers.filter(([name]) => name === 'location').map(([, value]) => value)

/** The target of a Location, resolved against the request; null: there is none. */
export const targetUrl = (probe: Probe): URL | null => {
  const [location, second] = probe.response ? locationsOf(probe.response) : []
  if (location === undefined || second !== undefined) return null
  const target = URL.parse(location, `${probe.scheme}://${probe.host}${probe.path}`)
  return target && ['http:', 'https:'].includes(target.protocol) ? target : null
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

/** By default it went to the first server. */
export type DnsGround = DnsQuestion & { readonly server?: string }

/** @template S what it judges: a host, or the project as a whole */
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
  readonly grounds?: (subject: S) => readonly (DnsGround | Probe)[]
}

/** Checks by their ids. */
export const declared = <S = HostScene>(
  checks: Readonly<Record<string, Omit<DomainCheck<S>, 'id'>>>,
): DomainCheck<S>[] => Object.entries(checks).map(([id, check]) => ({ id, ...check }))

/** As a run file has it, except that a breach is not yet a `fail` or a `warn`. */
export interface Result
  extends Pick<CheckResult, 'because' | 'detail' | 'expected' | 'actual' | 'fix' | 'blockedBy'> {
  readonly kind: 'pass' | 'observed' | 'inapplicable' | 'untested' | 'breach'
  /** The request that it is about, where the check judges several; else its grounds. */
  readonly probe?: Probe
}

const said =
  (kind: Result['kind'], because: Result['because'] = null) =>
  (detail: string): Result => ({ kind, because, detail })

export const pass = said('pass')
export const observed = said('observed')
export const inapplicable = said('inapplicable')
/** Something prevents a verdict. */
export const blocked = said('untested', 'blocked')
/** @param check whose failure prevents it: of the same domain, unless it names another */
export const blockedBy = (check: string, detail: string): Result => ({
  ...blocked(detail),
  blockedBy: check,
})
/** What was observed has several explanations. */
export const ambiguous = said('untested', 'ambiguous')

export const breach = (expected: string, actual: string, probe?: Probe): Result => ({
  kind: 'breach',
  because: null,
  detail: `expected ${expected}; got ${actual}`,
  expected,
  actual,
  ...(probe && { probe }),
})
