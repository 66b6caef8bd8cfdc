// Whole runs in virtual time against any server over the reference, and what they sent.
import { permissions } from '../engine/check/context.ts'
import type { AnyCheck } from '../engine/check/declare.ts'
import type { RunFile } from '../engine/check/run-file.ts'
import type { KeyOption } from '../engine/check/spendable-keys.ts'
import type { ClientResult } from '../engine/http/client.ts'
import type { WireRequest } from '../engine/http/http1.ts'
import type { Wires } from '../engine/http/target-clock.ts'
import { runSuites } from '../engine/run/run.ts'
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
  extends Partial<
    Pick<
      RunOptions,
      'allow' | 'maxRequests' | 'maxTimeMs' | 'seed' | 'runId' | 'noWait' | 'pausesMs' | 'walk'
    >
  > {
  readonly latency: { readonly minMs: number; readonly maxMs: number; readonly seed: number }
  readonly skewMs: number
  readonly hasClock: boolean
  readonly startMs: number
  /** Whether the run is configured with `shared: true`. */
  readonly shared: boolean
  readonly basePath?: string | undefined
  readonly categories?: readonly bigint[] | undefined
}

/** What passed over the wire, by the target's time as the run knows it. */
export interface Passed {
  readonly method: string
  readonly key: string
  readonly sentMs: number
  readonly receivedMs: number
  readonly result: ClientResult
}

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
export interface VirtualWorld {
  readonly time: VirtualTime
  readonly target: VirtualTarget
  /** In the order of the responses. */
  readonly passed: Passed[]
  readonly wires: () => Wires
  readonly options: RunOptions
}

/** @param around what else happens to the wires */
export const openVirtually = (
  variant: Variant,
  keys: readonly KeyOption[],
  { latency, skewMs, hasClock, startMs, basePath, categories, ...own }: Surrounding,
  around = (wires: Wires, _target: VirtualTarget, _time: VirtualTime): Wires => wires,
): VirtualWorld => {
  const time = createTime()
  const target = createTarget(variant, keys, startMs, time)
  const chance = chances(latency.seed)
  const latencyMs = () => latency.minMs + chance() * (latency.maxMs - latency.minMs)
  const passed: Passed[] = []
  const wires = (): Wires => {
    const plain = createVirtualWires(target, time, { startMs, latencyMs, skewMs, hasClock })
    return overheard(around(plain, target, time), passed)
  }
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
  return { time, target, passed, wires, options }
}

/** One run there, with which its time ends. */
export const runVirtually = async (
  { time, wires, options }: VirtualWorld,
  checks: readonly AnyCheck[],
  sink: Partial<RunSink> = {},
): Promise<RunFile> => {
  try {
    return await runSuites(checks, options, { event: () => {}, ...sink }, wires())
  } finally {
    time.stop()
  }
}
