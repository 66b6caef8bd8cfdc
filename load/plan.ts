// What a load would cost, and what it lacks: known before anything is sent.
import { banKeyLack, permissionLack } from '../engine/lack.ts'
import { Untested } from '../engine/outcome.ts'
import { chooseBanKey } from '../engine/quota/limits.ts'
import type { Ending } from '../engine/result.ts'
import type { RunOptions } from '../engine/run-options.ts'
import { labelKeys } from '../engine/session.ts'
import type { LoadSettings } from './lane.ts'
import type { LoadCost, LoadPlan, Scenario } from './scenario.ts'

export const planOf = (
  { keys, allow, clockUrl }: Pick<RunOptions, 'keys' | 'allow' | 'clockUrl'>,
  settings: LoadSettings,
): LoadPlan => {
  const labelled = labelKeys(keys)
  const banKey = chooseBanKey(labelled)
  return {
    ...settings,
    keys: labelled.filter((key) => key !== banKey),
    banKey,
    allow,
    instant: clockUrl !== null,
  }
}

const lackOfKey = (message: string): Ending => ({
  kind: 'threw',
  error: new Untested('key', message),
})

/** How the verdicts of a scenario end that cannot be run, or undefined where it can. */
export const lackOfScenario = ({ needs }: Scenario, plan: LoadPlan): Ending | undefined => {
  const refused = permissionLack(needs.allow, plan.allow)
  if (refused) return { kind: 'threw', error: refused }
  if (needs.banKey && !plan.banKey) return banKeyLack
  if (needs.key && plan.keys.length === 0) {
    return lackOfKey('it needs a key (--key PLAN=KEY) beside the one for bans')
  }
  const why = needs.quota?.(plan.keys.map(({ quota }) => quota))
  return why === undefined ? undefined : lackOfKey(why)
}

export interface Planned {
  readonly scenario: Scenario
  /** What is missing, or null where it runs. */
  readonly lack: string | null
  readonly cost: LoadCost
}

const nothing: LoadCost = { requests: 0, seconds: 0, does: 'nothing' }

export const planAll = (scenarios: readonly Scenario[], plan: LoadPlan): readonly Planned[] =>
  scenarios.map((scenario) => {
    const lack = lackOfScenario(scenario, plan)
    const missing = lack?.kind === 'threw' ? String((lack.error as Error).message) : null
    return { scenario, lack: missing, cost: missing === null ? scenario.cost(plan) : nothing }
  })
