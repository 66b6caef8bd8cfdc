// A finding: what the judgement says of one domain and one sentence.
import type { Because } from '../../engine/outcome.ts'
import type { DnsQuestion } from '../rules/dns-packet.ts'
import type { Probe } from './facts.ts'
import type { HostScene, Scene } from './scene.ts'

/** What it rests on: DNS questions and requests, the last of which shows it best. */
export type Grounds = readonly (DnsQuestion | Probe)[]

export type Said =
  | { readonly kind: 'pass'; readonly detail: string }
  | { readonly kind: 'breach'; readonly expected: string; readonly actual: string }
  | { readonly kind: 'observed'; readonly detail: string }
  | { readonly kind: 'untested'; readonly because: Because; readonly detail: string }
  | { readonly kind: 'inapplicable'; readonly detail: string }

export interface Finding {
  /** The id of the check, without the host. */
  readonly check: string
  /** Null: it is about the project as a whole. */
  readonly host: string | null
  readonly said: Said
  readonly grounds: Grounds
}

export const pass = (detail: string): Said => ({ kind: 'pass', detail })
export const breach = (expected: string, actual: string): Said => ({
  kind: 'breach',
  expected,
  actual,
})
export const observed = (detail: string): Said => ({ kind: 'observed', detail })
export const untested = (because: Because, detail: string): Said => ({
  kind: 'untested',
  because,
  detail,
})
export const inapplicable = (detail: string): Said => ({ kind: 'inapplicable', detail })

/** A check of each domain, and what its finding rests on. */
export type HostCheck = readonly [
  check: string,
  judge: (scene: Scene, host: HostScene) => Said,
  grounds: (scene: Scene, host: HostScene) => Grounds,
]
