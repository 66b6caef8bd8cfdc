// What a fault or a legal variant of a published project may change, and nothing else.

import type { Plan } from '../../spec/plans.ts'
import type { RequirementId } from '../../spec/requirements.ts'
import type { Policy } from '../model/state.ts'
import type { Credentials, LeafOptions } from './authority.ts'
import type { DnsServerOptions } from './dns-server.ts'
import type { EdgeAnswer, EdgeRequest } from './edge.ts'
import type { ZoneRecord } from './zones.ts'

type Records = readonly ZoneRecord[]

/** How the demonstration differs from the usual one. */
export interface PublishingVariant extends DnsServerOptions {
  /** The zones from the beginning: before Verify. */
  readonly zones?: (records: Records) => Records
  /** The zones once all certificates are issued. */
  readonly laterZones?: (records: Records) => Records
  /** Names at which further zones begin. */
  readonly apexes?: readonly string[]
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
    /** What an attached host returned before the removal. */
    formerly: (request: EdgeRequest) => EdgeAnswer,
  ) => EdgeAnswer
  readonly policy?: Partial<Policy>
  readonly onPlan?: Exclude<Plan, 'free'>
}

/** A variant, and how a look at it differs from a look at the usual demonstration. */
export interface Change extends PublishingVariant {
  readonly plan?: Plan
  /** Another file of the domains. */
  readonly domains?: unknown
  /** Names of the authority; the usual one if it is undefined. */
  readonly authorities?: readonly string[]
  /** Hours since the DNS was changed. */
  readonly sinceHours?: number
  /** Minutes since Verify succeeded. */
  readonly verifiedMinutes?: number
  readonly allowProxy?: boolean
  /** How long to wait for a DNS response that does not come. */
  readonly dnsTimeoutMs?: number
  /** The domain that is removed in the middle of it. */
  readonly remove?: string
}

export interface DomainMistake extends Change {
  readonly id: string
  readonly breaks: RequirementId
  /** The check that has to find it, with its host; or `lint` of the file. */
  readonly caughtBy: string
  readonly fault: string
}

type FaultRows = Readonly<Record<string, readonly [fault: string, change: Change]>>

/** Faults of one requirement that one check has to find: their ids, and what is wrong in each. */
export const caught = (caughtBy: string, breaks: RequirementId, rows: FaultRows): DomainMistake[] =>
  Object.entries(rows).map(([id, [fault, change]]) => ({ id, breaks, caughtBy, fault, ...change }))

export interface DomainLegal extends Change {
  readonly id: string
  readonly does: string
  /** The checks that it was built for, without their domain. */
  readonly exercises: readonly string[]
  /** The check that has to be inconclusive. */
  readonly inconclusive?: string
  /** The one check that warns: something is legal and yet not prudent. */
  readonly warns?: string
}

type LegalChange = Omit<DomainLegal, 'id' | 'does' | 'exercises'>

type LegalRows = Readonly<Record<string, readonly [does: string, change: LegalChange]>>

/** Legal projects for the same checks. */
export const legal = (exercises: readonly string[], rows: LegalRows): DomainLegal[] =>
  Object.entries(rows).map(([id, [does, change]]) => ({ id, does, exercises, ...change }))
