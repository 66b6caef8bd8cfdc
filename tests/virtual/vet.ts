// Whole runs in virtual time against any server over the reference, and what they sent.

import type { AnyCheck } from '../../engine/check/declare.ts'
import type { KeyOption, PlanOptions } from '../../engine/check/keys.ts'
import type { RunFile } from '../../engine/check/run-file.ts'
import type { ClientResult } from '../../engine/http/client.ts'
import type { WireRequest } from '../../engine/http/http1.ts'
import { runSuites } from '../../engine/run/run.ts'
import type { RunOptions } from '../../engine/run/run-options.ts'
import type { Wires } from '../../engine/run/session.ts'
import { memoryStore, type PetStatus, type Store } from '../../reference/store.ts'
import type { Variant } from '../../reference/variant.ts'
import type { Plan } from '../../spec/plans.ts'
import { keyOf, silent, testOptions } from '../vet-reference.ts'
import { type Design, legalVariant } from './designs.ts'
import { beForeign, type Foreign } from './foreign.ts'
import { type Mishap, withMishap } from './mishaps.ts'
import { chances, createTarget, createTime, createVirtualWires } from './virtual.ts'

/** What surrounds a target, whatever it is. */
export interface Surrounding
  extends Partial<Pick<RunOptions, 'allow' | 'maxRequests' | 'maxTimeMs' | 'seed' | 'noWait'>> {
  readonly latency: { readonly minMs: number; readonly maxMs: number; readonly seed: number }
  readonly skewMs: number
  readonly hasClock: boolean
  readonly startMs: number
  readonly foreign: Foreign | null
  /** Whether the run is configured with `shared: true`. */
  readonly shared: boolean
  readonly basePath?: string | undefined
  readonly categories?: readonly bigint[] | undefined
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

/** What passed over the wire, by the target's time as the run knows it. */
export interface Passed {
  readonly method: string
  readonly key: string
  readonly sentMs: number
  readonly receivedMs: number
  readonly result: ClientResult
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

/** Wires that also record what passes. */
const overheard = (wires: Wires, passed: Passed[]): Wires => {
  const send = async (request: WireRequest) => {
    const beforeMs = wires.pace.movedMs()
    const result = await wires.client.send(request)
    const given = request.headers.find(([name]) => name === 'Authorization')?.[1] ?? ''
    passed.push({
      method: request.method,
      // Under another scheme it is no key, and reveals none.
      key: /^bearer (.*)$/i.exec(given)?.[1] ?? '',
      sentMs: result.sentMs + beforeMs,
      receivedMs: result.receivedMs + wires.pace.movedMs(),
      result,
    })
    return result
  }
  return { ...wires, client: { ...wires.client, send } }
}

/** A server in virtual time with all that a run against it needs, for one run or for several. */
export const openVirtually = (
  variant: Variant,
  keys: readonly KeyOption[],
  surrounding: Surrounding,
) => {
  const { latency, skewMs, hasClock, foreign, startMs, basePath, categories, mishap, ...own } =
    surrounding
  const time = createTime()
  const issued = keys.map(({ quota, plan, key }) => ({ plan, key, ...quota }))
  const target = createTarget(variant, issued, startMs, time)
  const chance = chances(latency.seed)
  const latencyMs = () => latency.minMs + chance() * (latency.maxMs - latency.minMs)
  const passed: Passed[] = []
  const wires = (): Wires => {
    const plain = createVirtualWires(target, time, { startMs, latencyMs, skewMs, hasClock })
    const struck = mishap ? withMishap(plain, mishap.what, mishap.atRequest, target, time) : plain
    return overheard(struck, passed)
  }
  const [first] = keys
  if (foreign && first) void beForeign(foreign, first.key, target, time)
  const options = testOptions(`http://127.0.0.1${basePath ?? '/v1'}`, {
    ...own,
    keys,
    clockUrl: hasClock ? 'http://127.0.0.1/clock' : null,
    categories: categories ?? [],
    ...(mishap && { pausesMs }),
  })
  return { time, target, passed, wires, options }
}

export interface VirtualRun {
  readonly run: RunFile
  /** In the order of the responses. */
  readonly passed: readonly Passed[]
}

/** A run against any server over the reference, with these keys; the first may be another's too. */
export const vetVariant = async (
  variant: Variant,
  keys: readonly KeyOption[],
  { onExchange, ...surrounding }: Surrounding,
  checks: readonly AnyCheck[],
): Promise<VirtualRun> => {
  const { time, passed, wires, options } = openVirtually(variant, keys, surrounding)
  try {
    const sink = { ...silent, ...(onExchange && { exchange: onExchange }) }
    return { run: await runSuites(checks, options, sink, wires()), passed }
  } finally {
    time.stop()
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
