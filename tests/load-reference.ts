// A load put on the reference, or on a variant of it, in this process.
import type { RunFile } from '../engine/check/run-file.ts'
import type { RunOptions } from '../engine/run/run-options.ts'
import { runLoad } from '../load/run-load.ts'
import type { LoadSettings, Scenario } from '../load/scenario.ts'
import { scenarios } from '../load/scenarios.ts'
import { startReference } from '../reference/start.ts'
import type { Variant } from '../reference/variant.ts'
import { type Plan, plans } from '../spec/plans.ts'
import type { MountName } from './real-limiters/mounts.ts'
import { allKeys, atLibrary } from './real-limiters/vet.ts'
import { silent, testOptions } from './vet-reference.ts'

export interface LoadTrial {
  /** Their ids, or scenarios of a test. */
  readonly scenarios: readonly (string | Scenario)[]
  readonly settings: LoadSettings
  readonly plans: readonly Plan[]
  readonly variant: Variant
  readonly options: Partial<RunOptions>
}

/** Enterprise numbers are agreed case by case: these are those of the tests. */
const enterprise = { perMinute: 2_000_000, perDay: 50_000_000 }

export const keysOf = (names: readonly Plan[]) =>
  names.map((plan, at) => ({
    plan,
    key: `petvet-load-key-${at + 1}`,
    quota: plan === 'enterprise' ? enterprise : plans[plan],
  }))

/** Puts the load of a trial on an address. */
const loadAt = (
  trial: Pick<LoadTrial, 'scenarios' | 'settings'>,
  target: RunOptions,
): Promise<RunFile> => {
  const run = {
    scenarios: trial.scenarios.flatMap((named) =>
      typeof named === 'string' ? scenarios.filter(({ id }) => id === named) : [named],
    ),
    settings: trial.settings,
    target,
    baselines: [],
    thresholds: null,
  }
  return runLoad(run, silent)
}

const maxRequests = 10_000_000

/** The scenarios about the quota, on a library's server. */
export const loadLibrary = (
  name: MountName,
  trial: Pick<LoadTrial, 'scenarios' | 'settings'>,
): Promise<RunFile> =>
  atLibrary(name, true, allKeys, ({ url, clockUrl }) =>
    loadAt(trial, testOptions(url, { clockUrl, keys: allKeys, maxRequests })),
  )

/** @returns the run, and how many requests the server received */
export const loadReference = async (trial: LoadTrial) => {
  const keys = keysOf(trial.plans)
  const faults: unknown[] = []
  const server = await startReference({
    keys,
    clockPort: 0,
    variant: trial.variant,
    onFault: (fault) => faults.push(fault),
  })
  try {
    const { url, clockUrl = null } = server
    const target = testOptions(url, { keys, clockUrl, maxRequests, ...trial.options })
    const file = await loadAt(trial, target)
    if (faults.length > 0) throw faults[0]
    return { ...file, received: server.received?.() }
  } finally {
    await server.close()
  }
}
