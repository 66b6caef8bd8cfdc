// What a variant of the API is, and how variants are made and combined. A mutant is the reference
// with one fault, which a certain check must catch. A legal variant differs from the reference
// without violating a requirement.

import type { Plan } from '../spec/plans.ts'
import type { Clock } from './clock.ts'
import type { KeyRecord, Keys } from './issued-keys.ts'
import type { Decision, Limiter } from './limiter.ts'
import type { ApiRequest, ApiResponse, Handle, Reading, WriteError } from './message.ts'
import type { FindRoute, OperationId } from './routes.ts'
import type { NewPet, Pet, PetStatus, Store } from './store.ts'

/** A request for an operation, with a valid key that has quota left. */
export interface Call {
  request: ApiRequest
  key: KeyRecord
  query: URLSearchParams
  petId: string
  nowMs: number
}

export type Operation = (call: Call, parts: Parts) => ApiResponse

/** The state behind the API. */
export interface Backing {
  clock: Clock
  keys: Keys
  limiter: Limiter
  store: Store
}

export interface Parts extends Backing {
  /** The key that the request carries, if it is one that was issued. */
  authenticate: (request: ApiRequest) => KeyRecord | undefined
  /** Charges the request to its key. */
  charge: (key: KeyRecord, request: ApiRequest, nowMs: number) => Decision
  /** The rate limit that the headers show to a caller without a key. */
  withoutKey: (nowMs: number) => Decision
  findRoute: FindRoute
  operations: Record<OperationId, Operation>
  readLimit: (values: readonly string[]) => Reading<number>
  readStatus: (values: readonly string[]) => Reading<PetStatus | undefined>
  readPetId: (text: string) => Reading<bigint>
  readNewPet: (request: ApiRequest) => Reading<NewPet>
  printPet: (pet: Pet) => string
  error: WriteError
  rateLimitHeaders: (decision: Decision) => Record<string, string>
  /** The value of `Retry-After` for a wait that ends at `nowMs + waitMs`. */
  retryAfter: (waitMs: number, nowMs: number) => string
  httpDate: (nowMs: number) => string
  deprecationHeaders: (removalAtMs: number) => Record<string, string>
  removalAtMs: number
}

/**
 * A difference from the reference: other parts, a wrapper around the API, or another description.
 */
export interface Variant {
  parts?: (honest: Parts) => Partial<Parts>
  handle?: (honest: Handle, parts: Parts) => Handle
  /** Another published description, made of a copy of the OpenAPI document. */
  description?: (honest: object) => object
  /** The path of the base address, if it is not `/v1`. */
  basePath?: string
}

type Functions = {
  [Name in keyof Parts as Parts[Name] extends (...given: never[]) => unknown
    ? Name
    : never]: Parts[Name]
}

/** Another function for one part; it is also given the parts of the reference. */
export const replacing = <Name extends keyof Functions>(
  name: Name,
  by: (honest: Parts, ...given: Parameters<Functions[Name]>) => ReturnType<Functions[Name]>,
): Variant => ({
  parts: (honest) => ({
    [name]: (...given: Parameters<Functions[Name]>) => by(honest, ...given),
  }),
})

/** Made for each server, so that servers do not share state; `next` counts from 0. */
export const perServer = (make: (next: () => number) => Variant): Variant => ({
  parts: (honest) => {
    let count = 0
    return make(() => count++).parts?.(honest) ?? {}
  },
})

/** Several variants in one server, applied one after the other. */
export const together = (...variants: readonly Variant[]): Variant => ({
  parts: (honest) => {
    let changed: Partial<Parts> = {}
    for (const { parts } of variants)
      changed = { ...changed, ...parts?.({ ...honest, ...changed }) }
    return changed
  },
  handle: (honest, parts) =>
    variants.reduce((inner, { handle }) => handle?.(inner, parts) ?? inner, honest),
})

export interface Mutant extends Variant {
  readonly id: string
  /** The check that must fail; its requirement is the one that is violated. Others may fail too. */
  readonly caughtBy: string
  /** The fault, in the words of an implementer. */
  readonly fault: string
  /** What decides whether it shows, in the words of a headline. */
  readonly condition?: string
  /** Verdicts of load scenarios that fail as well. */
  readonly loadVerdicts?: readonly string[]
  /** The existing categories, if not every category is accepted. */
  readonly categories?: readonly bigint[]
  /** The suites that must catch it: limits, also days, or all; by default those of its table. */
  readonly suite?: 'contract' | 'limits' | 'days' | 'both'
  /** Plans of further keys, next to the two Free keys of the rate-limit suites. */
  readonly keys?: readonly Plan[]
  /** Set if it shows over sockets alone: in how a body arrives, or in which connection is used. */
  readonly overSockets?: true
}

/** Another server that meets every requirement: no check may fail at it. */
export interface LegalVariant extends Variant {
  readonly id: string
  /** How it differs from the reference. */
  readonly does: string
  /** The checks that would fail if they were too strict; they must run. */
  readonly exercises: readonly [string, ...string[]]
  /** The existing categories, if not every category is accepted. */
  readonly categories?: readonly bigint[]
  /** The checks of a `should` that it violates; all others must pass. */
  readonly warns?: readonly string[]
  /** What it sends is too long to be read, so a run at it must stay undecided (ruling 11). */
  readonly isUnread?: true
  /** Set if the rate-limit suites run against it too. */
  readonly suite?: 'both'
}

/** What else is known of a mutant, next to its check and its fault. */
type More = Omit<Mutant, 'id' | 'caughtBy' | 'fault'>

/** What is made of a row, by id. */
type Rows<Row> = Readonly<Record<string, Row>>

type RowOfCheck<Given> = readonly [fault: string, given: Given, more?: More]

/**
 * Mutants that one maker makes, each of what its row gives.
 * @param subject what all faults are about; a row then has only what follows it in the sentence
 */
export const family = <Given>(make: (given: Given) => Variant, subject = '') => {
  const mutant = (
    id: string,
    caughtBy: string,
    [fault, given, more]: RowOfCheck<Given>,
  ): Mutant => ({
    ...{ id, caughtBy, fault: subject ? `${subject} ${fault}.` : fault },
    ...make(given),
    ...more,
  })
  return {
    /** By `mutant @ check`: the check that must fail. */
    each: (rows: Readonly<Record<`${string} @ ${string}`, RowOfCheck<Given>>>) =>
      Object.entries(rows).map(([name, row]) => {
        const [id = '', check = ''] = name.split(' @ ')
        return mutant(id, check, row)
      }),
    /** One check catches all of them. */
    caughtBy: (check: string, rows: Rows<RowOfCheck<Given>>) =>
      Object.entries(rows).map(([id, row]) => mutant(id, check, row)),
  }
}

/** Mutants of which each row gives the variant itself. */
export const { each, caughtBy } = family((variant: Variant) => variant)

type LegalRow = readonly [
  does: string,
  difference: Variant,
  more?: Pick<LegalVariant, 'categories' | 'warns' | 'isUnread' | 'suite'>,
]

/** @param exercises the checks that would fail at one of them if they were too strict */
export const legal = (
  exercises: LegalVariant['exercises'],
  rows: Rows<LegalRow>,
): readonly LegalVariant[] =>
  Object.entries(rows).map(([id, [does, difference, more]]) => ({
    ...{ id, does, exercises },
    ...difference,
    ...more,
  }))
