// How a variant of the demonstration is described, and the changes that several variants share.
import type { Plan } from '../../spec/plans.ts'
import type { RequirementId } from '../../spec/requirements.ts'
import type { PublishingVariant } from '../demo/start-demo.ts'
import { record } from '../demo/zones.ts'

/** A variant, and how a check of it differs from one of the usual demonstration. */
export interface Change extends PublishingVariant {
  readonly plan?: Plan
  readonly domains?: unknown
  /** Names of the authority; the usual one if it is undefined. */
  readonly authorities?: readonly string[]
  readonly sinceHours?: number
  readonly verifiedMinutes?: number
  readonly allowProxy?: boolean
  /** How long to wait for a DNS response that does not come. */
  readonly dnsTimeoutMs?: number
  readonly remove?: string
}

type Rows<C> = Readonly<Record<string, readonly [text: string, change: C]>>

const described = <C, D>(rows: Rows<C>, alike: D) =>
  Object.entries(rows).map(([id, [says, change]]) => ({ id, says, ...alike, ...change }))

/** @param caughtBy the check that has to find them, with its host; or `lint` of the file */
export const mutants = (caughtBy: string, breaks: RequirementId, rows: Rows<Change>) =>
  described(rows, { kind: 'mutant', breaks, caughtBy } as const)

/** A variant that violates one requirement. */
export type DomainMutant = ReturnType<typeof mutants>[number]

export interface LegalChange extends Change {
  /** The check that has to be inconclusive. */
  readonly inconclusive?: string
  /** The one check that warns: something is legal and yet not prudent. */
  readonly warns?: string
}

/** @param exercises the checks that they were built for, without their domain */
export const legal = (exercises: readonly string[], rows: Rows<LegalChange>) =>
  described(rows, { kind: 'legal', exercises } as const)

/** A variant that violates no requirement. */
export type DomainLegal = ReturnType<typeof legal>[number]

export type DomainSubject = DomainMutant | DomainLegal

/** The subdomain and the apex at which most variants differ. */
export const docs = 'docs.farm.test'
export const apex = 'animals.test'
export const shop = 'shop.animals.test'

export const edge2 = '127.0.0.2'
export const edges = { addresses: ['127.0.0.1', edge2] } as const

/** @param lines of a zone, such as `farm.test CAA 0 issue ";"` */
export const plus = (...lines: readonly string[]): PublishingVariant => ({
  zones: (all) => [...all, ...lines.map((line) => record(line))],
})

/** Removes all records of a name, and adds these lines of a zone. */
export const instead = (name: string, ...lines: readonly string[]): PublishingVariant => ({
  zones: (all) => [...all.filter((each) => each.name !== name), ...lines.map((one) => record(one))],
})

/** One host is presented the platform's own certificate. */
export const uncertified: PublishingVariant = {
  credentials: (honest, sni, _address, fallback) => (sni === docs ? fallback : honest),
}
