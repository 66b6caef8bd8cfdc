// Random worlds: every legal design, any latency, skew and plan, alone or with another client.
import * as fc from 'fast-check'
import { type Design, designs } from './designs.ts'
import type { Foreign } from './foreign.ts'
import type { World } from './vet.ts'

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
