// Whole runs in virtual time against any server over the reference.
import { runDiagnosed } from '../causes/run.ts'
import { permissions } from '../engine/check/context.ts'
import type { AnyCheck } from '../engine/check/declare.ts'
import type { RunFile } from '../engine/check/run-file.ts'
import type { KeyOption } from '../engine/check/spendable-keys.ts'
import type { Wires } from '../engine/http/target-clock.ts'
import { plainTarget, type RunOptions, type RunSink } from '../engine/run/run-options.ts'
import type { Variant } from '../reference/variant.ts'
import {
  chances,
  createTarget,
  createTime,
  createVirtualWires,
  type VirtualTarget,
  type VirtualTime,
} from './virtual.ts'

/** What surrounds a target, whatever it is. */
export interface Surrounding
  extends Partial<Omit<RunOptions, 'keys' | 'baseUrl' | 'clockUrl' | 'categories'>> {
  readonly latency?: { readonly minMs: number; readonly maxMs: number; readonly seed: number }
  readonly skewMs?: number
  readonly hasClock: boolean
  readonly startMs?: number
  readonly basePath?: string | undefined
  readonly categories?: readonly bigint[] | undefined
}

/** A server in virtual time with all that a run against it needs, for one run or for several. */
export interface VirtualWorld {
  readonly time: VirtualTime
  readonly target: VirtualTarget
  readonly wires: () => Wires
  readonly options: RunOptions
}

const usualStartMs = Date.UTC(2026, 10, 20, 10)

/** @param around what else happens to the wires */
export const openVirtually = (
  variant: Variant,
  keys: readonly KeyOption[],
  given: Surrounding,
  around = (wires: Wires, _target: VirtualTarget, _time: VirtualTime): Wires => wires,
): VirtualWorld => {
  const { hasClock, basePath, categories, skewMs = 0, startMs = usualStartMs, ...rest } = given
  const { latency = { minMs: 2, maxMs: 2, seed: 1 }, ...own } = rest
  const time = createTime()
  const target = createTarget(variant, keys, startMs, time)
  const chance = chances(latency.seed)
  const latencyMs = () => latency.minMs + chance() * (latency.maxMs - latency.minMs)
  const surroundings = { startMs, latencyMs, skewMs, hasClock }
  const wires = () => around(createVirtualWires(target, time, surroundings), target, time)
  const options: RunOptions = {
    ...plainTarget,
    allow: permissions,
    seed: 7,
    maxRequests: 3_000,
    strict: false,
    responseTimeoutMs: 5_000,
    pausesMs: [],
    signal: new AbortController().signal,
    ...own,
    keys,
    baseUrl: `http://127.0.0.1${basePath ?? '/v1'}`,
    clockUrl: hasClock ? 'http://127.0.0.1/clock' : null,
    categories: categories ?? [],
  }
  return { time, target, wires, options }
}

/** One run there, with which its time ends. */
export const runVirtually = async (
  { time, wires, options }: VirtualWorld,
  checks: readonly AnyCheck[],
  sink: Partial<RunSink> = {},
): Promise<RunFile> => {
  try {
    return await runDiagnosed(checks, options, { event: () => {}, ...sink }, wires())
  } finally {
    time.stop()
  }
}
