// How a check of domains is declared: its requirement, how `petvet explain` explains it, its
// verdict on the facts, and the evidence of that.
import type { Because } from '../../engine/outcome.ts'
import type { RequirementId } from '../../spec/requirements.ts'
import type { DnsQuestion, DnsType } from '../rules/dns.ts'
import type { Probe, Purpose } from './facts.ts'
import { type HostScene, probesOf, type Scene } from './scene.ts'

/** DNS questions and requests; the last of them shows the result best. */
export type Grounds = readonly (DnsQuestion | Probe)[]

export type Result =
  | { readonly kind: 'pass' | 'observed' | 'inapplicable'; readonly detail: string }
  | { readonly kind: 'breach'; readonly expected: string; readonly actual: string }
  | { readonly kind: 'untested'; readonly because: Because; readonly detail: string }

const result =
  <K extends 'pass' | 'observed' | 'inapplicable'>(kind: K) =>
  (detail: string): Result => ({ kind, detail })

const untested =
  (because: Because) =>
  (detail: string): Result => ({ kind: 'untested', because, detail })

export const pass = result('pass')
export const observed = result('observed')
export const inapplicable = result('inapplicable')
/** Something prevents a verdict. */
export const blocked = untested('blocked')
/** What was observed has several explanations. */
export const ambiguous = untested('ambiguous')
export const breach = (expected: string, actual: string): Result => ({
  kind: 'breach',
  expected,
  actual,
})

/** @template S what it judges in addition to the scene: a host, the removal, or nothing */
export interface DomainCheck<S> {
  /** A report adds the domain: `domain-cname@docs.example.com`. */
  readonly id: string
  readonly requirement: RequirementId
  readonly sends: string
  /** What violates the requirement; of an open one, what is recorded. */
  readonly fails: string
  /** What leaves it inconclusive. */
  readonly inconclusive?: string
  readonly judge: (scene: Scene, subject: S) => Result
  readonly grounds: (scene: Scene, subject: S) => Grounds
}

export type HostCheck = DomainCheck<HostScene>

/** The evidence is the DNS at the host's own name. */
export const dnsGrounds =
  (...types: readonly DnsType[]): HostCheck['grounds'] =>
  (_scene, { host }) =>
    types.map((type) => ({ name: host, type }))

/** The evidence is the last request of a purpose. */
export const probeGrounds =
  (purpose: Purpose): HostCheck['grounds'] =>
  (scene, host) =>
    probesOf(scene, host, purpose).slice(-1)

export interface Finding extends Pick<DomainCheck<unknown>, 'requirement'> {
  /** The id of the check, without the host. */
  readonly check: string
  /** Null: it is about the project as a whole. */
  readonly host: string | null
  readonly result: Result
  readonly grounds: Grounds
}
