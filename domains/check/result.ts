// How a check of domains is declared, and what it may say.
import type { CheckResult } from '../../engine/check/run-file.ts'
import { text } from '../../history/text.ts'
import type { RequirementId } from '../../spec/requirements.ts'
import type { DnsQuestion } from '../rules/dns-records.ts'
import type { Probe } from './facts.ts'
import type { HostScene } from './scene.ts'

/** By default it went to the first server. */
export type DnsGround = DnsQuestion & { readonly server?: string }

interface Declared<S> {
  readonly sends: string
  /** What violates the requirement; of an open one, what is recorded. */
  readonly fails: string
  /** What leaves it inconclusive. */
  readonly inconclusive?: string
  readonly judge: (subject: S) => Result
  /** By default the first request for the page of a domain; the last ground shows it best. */
  readonly grounds?: (subject: S) => readonly (DnsGround | Probe)[]
}

/** @template S what it judges: a host, or the project as a whole */
export interface DomainCheck<S> extends Declared<S> {
  /** A report adds the domain: `domain-cname@docs.example.com`. */
  readonly id: string
  readonly requirement: RequirementId
}

export const check = <S = HostScene>(
  id: string,
  requirement: RequirementId,
  declared: Declared<S>,
): DomainCheck<S> => ({ id, requirement, ...declared })

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
/** What was observed has several explanations. */
export const ambiguous = said('untested', 'ambiguous')

/** @param by the check whose failure prevents it: of the same domain, unless it names another */
export const blockedBy = (by: string, detail: string) => ({ ...blocked(detail), blockedBy: by })

export const breach = (expected: string, actual: string, more: Partial<Result> = {}): Result => ({
  ...said('breach')(`expected ${expected}; got ${actual}`),
  ...{ expected: text(expected), actual: text(actual), ...more },
})
