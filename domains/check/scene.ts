// What a check of domains judges, the facts by host, and how it is declared: its requirement, how
// `petvet explain` explains it, its verdict, and the evidence of that. All of it is pure.

import { domainToASCII } from 'node:url'
import type { CheckResult } from '../../engine/check/run-file.ts'
import { text } from '../../history/text.ts'
import type { RequirementId } from '../../spec/requirements.ts'
import type { DnsQuestion } from '../rules/dns-records.ts'
import {
  describeTrouble,
  isKnown,
  lookIn,
  tableThatKnows,
  viewDns,
  viewDomain,
  viewPlatform,
} from './dns-view.ts'
import {
  type DnsTable,
  type Facts,
  givenIn,
  type HttpFacts,
  isLost,
  listHosts,
  type Probe,
  type Purpose,
  questionKey,
  serverOf,
} from './facts.ts'

/** The project as a whole. */
export type ProjectScene = ReturnType<typeof buildScene>

/** One domain of the project. */
export type HostScene = ProjectScene['hosts'][number]

/** What one server returns for a host. */
const viewAt = (table: DnsTable, host: string) => {
  const { nameServer, replies } = table
  const view = viewDns(lookIn([table]), host)
  const reply = replies[questionKey(host, 'CNAME')]
  const isForeign = nameServer !== undefined && !view.authoritative
  const trouble = reply && !isKnown(reply) ? describeTrouble(reply) : view.recordTrouble
  return {
    ...view,
    /** Whose responses these are. */
    server: serverOf(table),
    isNameServer: nameServer !== undefined,
    isSilent: !reply || 'failed' in reply,
    /** A server that is delegated to and has no authority is lame. */
    trouble: trouble ?? (isForeign ? 'no authoritative response' : null),
  }
}

/** The addresses that did not respond while others did, each with the reason. */
const lostIn = (probes: readonly Probe[]): ReadonlyMap<string, string> => {
  const encrypted = probes.filter(({ scheme }) => scheme === 'https')
  const responding = new Set(encrypted.filter((one) => !isLost(one)).map(({ address }) => address))
  const lost = responding.size === 0 ? [] : encrypted.filter(isLost)
  return new Map(
    lost
      .filter(({ address }) => !responding.has(address))
      .map(({ address, failed }) => [address, failed?.code ?? '']),
  )
}

export const buildScene = (facts: Facts) => {
  const { settings, config, dns } = facts
  const given = givenIn(dns)
  const look = lookIn(given)
  const platform = viewPlatform(given, settings)
  const { cnameTrouble, endTrouble } = viewDns(look, settings.platformHost)
  const unknown = cnameTrouble ?? endTrouble
  const none = unknown
    ? `${unknown}: give a recursive --resolver, or --platform-address`
    : `${settings.platformHost} has no address`
  /** Why the platform's addresses are not known. */
  const platformTrouble = platform.platform.length === 0 ? none : null
  const before = facts.removal?.before ?? []
  const lost = lostIn([...before, ...facts.probes])
  // They are one finding about the platform, and decide nothing about its domains.
  const [probes, earlier] = [facts.probes, before].map((all) =>
    all.filter(({ address }) => !lost.has(address)),
  ) as [Probe[], Probe[]]
  const scene = { settings, config, ...platform, platformTrouble, lost, atMs: Date.parse(facts.at) }
  const to = (name: string | null) => (probe: Probe) => probe.host === name
  const hosts = listHosts(config).map((host) => ({
    ...scene,
    host,
    /** Undefined: it is the primary domain. */
    redirect: config.redirects.find(({ from }) => from === host),
    /** According to the first resolver that knows. */
    ...viewDomain(look, host),
    dns: { ...viewDns(look, host), server: serverOf(tableThatKnows(given, host, 'CNAME')) },
    /** According to each server that was asked. */
    elsewhere: dns
      .filter(({ nameServer, replies }) => !nameServer || questionKey(host, 'CNAME') in replies)
      .map((table) => viewAt(table, host)),
    /** When its certificate was first seen, if that was watched for. */
    certificateSeen: facts.certificateSeen[host],
    /** Those before the removal of a domain are separate. */
    probes: probes.filter(to(host)),
    before: earlier.filter(to(host)),
  }))
  return { ...scene, hosts, probes: probes.filter(to(settings.site)) }
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

/** Whether it leads to the same request, with nothing that changes its outcome. */
export const redirectsToItself = (probe: Probe): boolean => {
  const { scheme, host, path, port, response } = probe
  const target = targetUrl(probe)
  const isSame = target?.href === new URL(`${scheme}://${host}${path}`).href
  const isAtPort = target?.href === new URL(`${scheme}://${host}:${port}${path}`).href
  const setsCookie = response?.headers.some(([name]) => name === 'set-cookie') ?? false
  return redirectHost(probe) !== null && (isSame || isAtPort) && !setsCookie
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
  expected: text(expected),
  actual: text(actual),
  ...(probe && { probe }),
})
