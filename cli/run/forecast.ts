// How long a run will take, where it has to wait for the quota of its keys.
import type { AnyCheck, SendingCheck } from '../../engine/check/declare.ts'
import type { PlanOptions } from '../../engine/check/spendable-keys.ts'
import { runnableChecks } from '../../engine/run/check-order.ts'
import type { Forecast } from '../../engine/run/run-options.ts'

/** A check takes a few requests, but for those of whole minutes. */
const fewRequests = 4

/** Whether some checks may take more than what the keys are served at once. */
const mayWait = (checks: readonly SendingCheck[], { keys }: PlanOptions): boolean =>
  fewRequests * checks.length > keys.reduce((sum, { quota }) => sum + quota.perMinute, 0) ||
  checks.some(({ needs }) => (needs.pets ?? 0) > 10 || needs.allow?.includes('exhaust'))

/** @returns undefined where a run takes seconds: nothing is measured for it */
export const forecastRun = async (
  checks: readonly AnyCheck[],
  options: PlanOptions & { readonly noWait?: boolean; readonly seed?: number },
): Promise<Forecast | undefined> => {
  if (options.clockUrl !== null || options.noWait) return undefined
  if (!mayWait(runnableChecks(checks, options), options)) return undefined
  const { measureRun } = await import('../../proof/measure-run.ts')
  return measureRun(checks, options)
}
