// What a fault or a legal variant of a published project may change, and nothing else.

import type { Plan } from '../../spec/plans.ts'
import type { RequirementId } from '../../spec/requirements.ts'
import type { Policy } from '../rules/policies.ts'
import type { Credentials, LeafOptions } from './authority.ts'
import type { DnsOverride } from './dns-server.ts'
import type { EdgeAnswer, EdgeRequest } from './edge.ts'
import type { ZoneRecord } from './zones.ts'

type Records = readonly ZoneRecord[]

export interface PublishingVariant {
  /** The zones from the beginning: before Verify. */
  readonly zones?: (records: Records) => Records
  /** The zones once all certificates are issued. */
  readonly laterZones?: (records: Records) => Records
  readonly dns?: DnsOverride
  /** Names at which further zones begin. */
  readonly apexes?: readonly string[]
  /** How names are spelt in answers. */
  readonly spells?: (name: string) => string
  /** Addresses of the platform on loopback. */
  readonly addresses?: readonly string[]
  /** A leaf that is issued otherwise for a host; null: as it was. */
  readonly leaf?: (host: string, honest: LeafOptions) => LeafOptions | null
  readonly credentials?: (
    honest: Credentials | null,
    sni: string,
    address: string,
    fallback: Credentials,
  ) => Credentials | null
  readonly answer?: (
    honest: (request: EdgeRequest) => EdgeAnswer,
    request: EdgeRequest,
    /** What an attached host answered when it was last attached. */
    formerly: (request: EdgeRequest) => EdgeAnswer,
  ) => EdgeAnswer
  readonly policy?: Partial<Policy>
  readonly onPlan?: Exclude<Plan, 'free'>
}

/** How a look at the variant differs from a look at the usual demonstration. */
export interface Looked {
  readonly plan?: Plan
  /** The file of the domains, where it is another. */
  readonly domains?: unknown
  /** Names of the authority; the usual one if there are none. */
  readonly authorities?: readonly string[]
  /** Hours since the DNS was changed. */
  readonly sinceHours?: number
  /** Minutes since Verify said yes. */
  readonly verifiedMinutes?: number
  readonly allowProxy?: boolean
  /** How long a DNS answer is waited for, where it will not come. */
  readonly dnsTimeoutMs?: number
  /** The domain that is removed in the middle of it. */
  readonly remove?: string
}

type Change = PublishingVariant & Looked

export interface DomainFault extends Change {
  readonly id: string
  readonly breaks: RequirementId
  /** The check that has to find it, with its host; or `lint` of the file. */
  readonly caughtBy: string
  readonly fault: string
}

/** Faults of one requirement that one check has to find. */
export const caught =
  (caughtBy: string, breaks: RequirementId, shared: Change = {}) =>
  (id: string, fault: string, change: Change): DomainFault => ({
    id,
    breaks,
    caughtBy,
    fault,
    ...shared,
    ...change,
  })

export interface DomainLegal extends Change {
  readonly id: string
  readonly does: string
  /** The checks that it was built for, without their domain. */
  readonly exercises: readonly string[]
  /** The check that has to be inconclusive. */
  readonly untold?: string
  /** The one check that warns: something is not prudent, and yet legal. */
  readonly warns?: string
}

export const legal = (
  id: string,
  does: string,
  exercises: readonly string[],
  change: Omit<DomainLegal, 'id' | 'does' | 'exercises'> = {},
): DomainLegal => ({ id, does, exercises, ...change })
