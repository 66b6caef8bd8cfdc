// Whole runs in virtual time against any server over the reference, and what they sent. Random
// worlds for them: every legal design, any latency, skew and plan, alone or with another client.

import * as fc from 'fast-check'
import type { AnyCheck } from '../../engine/check/declare.ts'
import type { RunFile } from '../../engine/check/run-file.ts'
import type { KeyOption, PlanOptions } from '../../engine/check/spendable-keys.ts'
import type { ClientResult } from '../../engine/http/client.ts'
import type { WireRequest } from '../../engine/http/http1.ts'
import type { Wires } from '../../engine/http/target-clock.ts'
import {
  openVirtually as openPlain,
  type Surrounding as PlainSurrounding,
  runVirtually,
} from '../../proof/virtual-run.ts'
import { memoryStore, type PetStatus, type Store } from '../../reference/store.ts'
import type { Variant } from '../../reference/variant.ts'
import type { Plan } from '../../spec/plans.ts'
import { keyOf } from '../vet-reference.ts'
import { type Design, designs, legalVariant } from './designs.ts'
import { beForeign, type Foreign } from './foreign.ts'
import { type Mishap, withMishap } from './interruptions.ts'

/** What surrounds a target, whatever it is. */
export interface Surrounding extends PlainSurrounding {
  readonly startMs: number
  readonly foreign: Foreign | null
  /** Gets each line of exchanges.ndjson. */
  readonly onExchange?: (line: string) => void
  /** What happens to the run, and at which of its requests. */
  readonly mishap?: { readonly what: Mishap; readonly atRequest: number }
}

export interface World extends Surrounding {
  readonly design: Design
  /** The plan of the first key; two Free ones are added to it, the last for bans. */
  readonly plan: Plan
}

/** A day that is smaller than the work. */
export const smallDay = { quota: { perMinute: 40, perDay: 400 } } as const

/** The key that may be banned. */
export const banned = 'virtual-banned'

export const keysOf = (plan: Plan): KeyOption[] => [
  keyOf(plan, 'first', plan === 'enterprise' ? smallDay : {}),
  keyOf('free', 'second'),
  keyOf('free', '', { key: banned, use: 'ban' }),
]

/** As the command pauses: in virtual time it costs none. */
const pausesMs = [1_000, 2_000, 4_000, 8_000, 15_000]

/** What passed over the wire, by the target's time as the run knows it. */
export interface Passed {
  readonly method: string
  readonly key: string
  /** All that was sent but its `Authorization`. */
  readonly others: string
  readonly sentMs: number
  readonly receivedMs: number
  readonly result: ClientResult
}

/** Wires that also record what passes. */
const overheard = (wires: Wires, passed: Passed[]): Wires => {
  const send = async (request: WireRequest) => {
    const beforeMs = wires.pace.movedMs()
    const result = await wires.client.send(request)
    const given =
      request.headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1] ?? ''
    const others = request.headers.filter(([name]) => name.toLowerCase() !== 'authorization')
    passed.push({
      method: request.method,
      // Under another scheme it is no key, and reveals none.
      key: /^bearer (.*)$/i.exec(given)?.[1] ?? '',
      others: `${request.path} ${others.join()} ${request.body ?? ''}`,
      sentMs: result.sentMs + beforeMs,
      receivedMs: result.receivedMs + wires.pace.movedMs(),
      result,
    })
    return result
  }
  return { ...wires, client: { ...wires.client, send } }
}

/** A server in virtual time, and what passes; its first key may be another client's too. */
export const openVirtually = (
  variant: Variant,
  keys: readonly KeyOption[],
  { foreign, mishap, ...surrounding }: Surrounding,
) => {
  const own = { ...surrounding, ...(mishap && { pausesMs }) }
  const passed: Passed[] = []
  const world = openPlain(variant, keys, own, (wires, target, time) =>
    overheard(
      mishap ? withMishap(wires, mishap.what, mishap.atRequest, target, time) : wires,
      passed,
    ),
  )
  const [first] = keys
  if (foreign && first) void beForeign(foreign, first.key, world.target, world.time)
  return { ...world, passed }
}

export interface VirtualRun {
  readonly run: RunFile
  /** In the order of the responses. */
  readonly passed: readonly Passed[]
}

/** A run against any server over the reference, with these keys. */
export const vetVariant = async (
  variant: Variant,
  keys: readonly KeyOption[],
  { onExchange, ...surrounding }: Surrounding,
  checks: readonly AnyCheck[],
): Promise<VirtualRun> => {
  const world = openVirtually(variant, keys, surrounding)
  return {
    run: await runVirtually(world, checks, {
      ...(onExchange && { exchange: onExchange }),
    }),
    passed: world.passed,
  }
}

export const vetVirtually = (world: World, checks: readonly AnyCheck[]): Promise<VirtualRun> =>
  vetVariant(legalVariant(world.design), keysOf(world.plan), world, checks)

const plain: Surrounding = {
  latency: { minMs: 0.2, maxMs: 0.4, seed: 1 },
  skewMs: 0,
  hasClock: true,
  startMs: Date.UTC(2026, 10, 20, 12, 0, 13),
  foreign: null,
  shared: false,
}

/** Both ways together, up to 60 ms by chance. */
const late = (seed: number) => ({ latency: { minMs: 1, maxMs: 30, seed } })

export const lateByChance: Surrounding = { ...plain, ...late(3) }
export const withoutClock: Surrounding = { ...plain, hasClock: false }

const aheadMs = 90_000

/** A slow network, a clock of ours that is wrong, no test clock. */
export const surroundings: Readonly<Record<string, Surrounding>> = {
  '30 ms late by chance': lateByChance,
  'our clock 90 s ahead': { ...plain, skewMs: aheadMs },
  'our clock 90 s behind': { ...plain, skewMs: -aheadMs },
  'no test clock': withoutClock,
  'no test clock, late, 90 s ahead': { ...withoutClock, ...late(4), skewMs: aheadMs },
  'no test clock, late, 90 s behind': { ...withoutClock, ...late(5), skewMs: -aheadMs },
}

/** A store in which a run that may only read finds enough of every status. */
const stocked = (): Store => {
  const store = memoryStore()
  const statuses: readonly PetStatus[] = ['available', 'pending', 'sold']
  for (let at = 0; at < 120; at += 1) {
    store.add({ name: `animal ${at}`, categoryId: 1n, status: statuses[at % 3] ?? 'sold' })
  }
  return store
}

/** A run over the reference. @param intoMinuteMs how far the minute has gone when it starts */
export const vetFrom = (
  intoMinuteMs: number,
  checks: readonly AnyCheck[],
  { keys, allow, clockUrl }: PlanOptions,
): Promise<VirtualRun> =>
  vetVariant(
    allow.includes('write') ? {} : { parts: () => ({ store: stocked() }) },
    keys,
    {
      ...plain,
      latency: { minMs: 0.5, maxMs: 1.5, seed: 5 },
      hasClock: clockUrl !== null,
      startMs: Date.UTC(2026, 10, 20, 12) + intoMinuteMs,
      allow,
      maxRequests: 10_000,
    },
    checks,
  )

const ban: fc.Arbitrary<Design['ban']> = fc.option(
  fc.record({
    afterRefusals: fc.integer({ min: 2, max: 10 }),
    lastsMs: fc.integer({ min: 1_000, max: 120_000 }),
    status: fc.constantFrom(401, 403, 429),
    statesNoWait: fc.boolean(),
  }),
)

export const anyDesign: fc.Arbitrary<Design> = fc.record({
  meter: fc.constantFrom(...Object.keys(designs)),
  speaksOf: fc.constantFrom('tightest', 'minute', 'day'),
  countsUnsound: fc.boolean(),
  ban,
  reset: fc.constantFrom('up', 'down'),
  retryAfter: fc.constantFrom('seconds', 'date'),
  spareMs: fc.constantFrom(0, 0, 2_000, 5_000),
})

const latency = fc
  .record({
    minMs: fc.constantFrom(0.2, 1, 15, 30),
    spreadMs: fc.constantFrom(0, 2, 30, 100),
    seed: fc.nat(),
  })
  .map(({ minMs, spreadMs, seed }) => ({ minMs, maxMs: minMs + spreadMs, seed }))

/** From a day that ends during the run, to any other moment. */
const startMs = fc
  .oneof(fc.integer({ min: 86_100_000, max: 86_399_999 }), fc.nat({ max: 86_399_999 }))
  .map((ofDayMs) => Date.UTC(2026, 10, 20) + ofDayMs)

const alone = {
  design: anyDesign,
  plan: fc.constantFrom('free', 'free', 'pro', 'enterprise', 'business'),
  latency,
  skewMs: fc.oneof(fc.constantFrom(0, -90_000, 90_000), fc.integer({ min: -90_000, max: 90_000 })),
  hasClock: fc.boolean(),
  startMs,
} satisfies { [name in keyof World]?: fc.Arbitrary<World[name]> }

const foreign: fc.Arbitrary<Foreign> = fc.record({
  pauseMs: fc.constantFrom(20, 100, 500, 1_000, 5_000, 20_000, 60_000),
  even: fc.boolean(),
  crowd: fc.constantFrom(1, 1, 2, 10, 40),
  obeys: fc.boolean(),
  seed: fc.nat(),
})

export const worldAlone: fc.Arbitrary<World> = fc.record({
  ...alone,
  foreign: fc.constant(null),
  shared: fc.constant(false),
})

/** The plan whose whole minute a crowd can spend at once. */
const smallest = 'enterprise'
const halfOfIt = 20

/**
 * A client that spends a whole minute right after each move of the test clock looks like a server
 * that refuses early; where that is so the keys are to be named as shared.
 */
const unlessEmptied = (world: World): World =>
  world.foreign && world.hasClock && !world.shared && world.plan === smallest
    ? { ...world, foreign: { ...world.foreign, crowd: Math.min(world.foreign.crowd, halfOfIt) } }
    : world

export const worldWithAnother: fc.Arbitrary<World> = fc
  .record({ ...alone, foreign, shared: fc.boolean() })
  .map(unlessEmptied)

/** One world of each design, all else plain. */
export const plainWorlds: readonly (readonly [string, World])[] = Object.keys(designs).map(
  (meter) => [
    meter,
    {
      design: {
        meter,
        speaksOf: 'tightest',
        countsUnsound: true,
        ban: { afterRefusals: 10, lastsMs: 90_000, status: 429 },
        reset: 'up',
        retryAfter: 'seconds',
        spareMs: 0,
      },
      plan: 'free',
      latency: { minMs: 1, maxMs: 5, seed: 1 },
      skewMs: 0,
      hasClock: false,
      startMs: Date.UTC(2026, 10, 20, 12, 0, 13),
      foreign: null,
      shared: false,
    },
  ],
)
