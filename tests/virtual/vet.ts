// A whole run in virtual time against a legal target, and what it sent.

import type { ClientResult } from '../../engine/client/client.ts'
import type { WireRequest } from '../../engine/client/http1.ts'
import type { Wires } from '../../engine/client/wires.ts'
import type { Permission } from '../../engine/context.ts'
import type { AnyCheck } from '../../engine/declare.ts'
import { runSuites } from '../../engine/run.ts'
import type { RunFile } from '../../engine/run-file.ts'
import type { KeyOption } from '../../engine/run-options.ts'
import type { Variant } from '../../reference/compose.ts'
import { type Plan, plans, type Quota } from '../../spec/plans.ts'
import { testOptions } from '../vet-reference.ts'
import { chances } from './chance.ts'
import { beForeign, type Foreign } from './foreign.ts'
import { type Mishap, withMishap } from './mishaps.ts'
import { type Design, legalVariant } from './target.ts'
import { createTarget, createTime, createVirtualWires } from './virtual.ts'

export interface World {
  readonly design: Design
  /** The plan of the first key; two Free ones are added to it, the last for bans. */
  readonly plan: Plan
  readonly latency: { readonly minMs: number; readonly maxMs: number; readonly seed: number }
  readonly skewMs: number
  readonly hasClock: boolean
  readonly startMs: number
  readonly foreign: Foreign | null
  /** Whether the run is configured with `shared: true`. */
  readonly shared: boolean
}

/** What passed over the wire, by the target's time as the run knows it. */
export interface Passed {
  readonly method: string
  readonly key: string
  readonly sentMs: number
  readonly receivedMs: number
  readonly result: ClientResult
}

const enterprise: Quota = { perMinute: 40, perDay: 400 }
const quotaOf = (plan: Plan): Quota => (plan === 'enterprise' ? enterprise : plans[plan])

export const keysOf = (plan: Plan) => [
  { plan, key: 'virtual-first', quota: quotaOf(plan) },
  { plan: 'free', key: 'virtual-second', quota: plans.free } as const,
  { plan: 'free', key: banned, quota: plans.free, use: 'ban' } as const,
]

/** The key that may be banned. */
export const banned = 'virtual-banned'

/** As the command pauses: in virtual time it costs none. */
const pausesMs = [1_000, 2_000, 4_000, 8_000, 15_000]

/** Wires that also record what passes. */
export const overheard = (wires: Wires, passed: Passed[]): Wires => {
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

/** What surrounds a target, whatever it is. */
export type Surrounding = Omit<World, 'design' | 'plan'> & {
  /** By default everything is allowed. */
  readonly allow?: readonly Permission[]
  readonly maxRequests?: number
  readonly seed?: number
  readonly basePath?: string | undefined
  readonly categories?: readonly bigint[] | undefined
  /** What happens to the run, and at which of its requests. */
  readonly mishap?: { readonly what: Mishap; readonly atRequest: number }
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
  surrounding: Surrounding,
  checks: readonly AnyCheck[],
): Promise<VirtualRun> => {
  const { latency, skewMs, hasClock, foreign, shared, startMs } = surrounding
  const { allow, maxRequests, seed, basePath = '/v1', categories } = surrounding
  const time = createTime()
  const issued = keys.map(({ quota, plan, key }) => ({ plan, key, ...quota }))
  const target = createTarget(variant, issued, startMs, time)
  const chance = chances(latency.seed)
  const latencyMs = () => latency.minMs + chance() * (latency.maxMs - latency.minMs)
  const passed: Passed[] = []
  const plain = createVirtualWires(target, time, { latencyMs, skewMs, hasClock })
  const { mishap } = surrounding
  const struck = mishap ? withMishap(plain, mishap.what, mishap.atRequest, target, time) : plain
  const wires = overheard(struck, passed)
  const [first] = keys
  if (foreign && first) void beForeign(foreign, first.key, target, time)
  const clockUrl = hasClock ? 'http://127.0.0.1/clock' : null
  try {
    const options = testOptions(`http://127.0.0.1${basePath}`, {
      keys,
      clockUrl,
      shared,
      ...(allow && { allow }),
      ...(maxRequests !== undefined && { maxRequests }),
      ...(seed !== undefined && { seed }),
      ...(categories && { categories }),
      ...(mishap && { pausesMs }),
    })
    const sink = { exchange: () => {}, event: () => {} }
    return { run: await runSuites(checks, options, sink, wires), passed }
  } finally {
    time.stop()
  }
}

export const vetVirtually = (world: World, checks: readonly AnyCheck[]): Promise<VirtualRun> =>
  vetVariant(legalVariant(world.design), keysOf(world.plan), world, checks)
