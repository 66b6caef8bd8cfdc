// Which values of the rows a run sends: the first ones of each row, and of its larger vocabulary as
// many as the budget of the run has room for, drawn by seed.

import { deriveSeed } from '../../history/naming.ts'
import { minuteMs } from '../../history/rate-headers.ts'
import {
  type AnyCheck,
  allValues,
  type SendingCheck,
  stages,
  type Value,
} from '../check/declare.ts'
import type { CheckResult } from '../check/run-file.ts'
import type { PlanOptions } from '../check/spendable-keys.ts'
import { isTested } from '../check/verdict.ts'
import { runnableChecks } from './check-order.ts'

/** Minutes of the calls of each key that rows take, where nothing else is given. */
const usualMinutes = 4

interface Budgeted extends PlanOptions {
  readonly noWait?: boolean
}

/** What programs, packs, control requests and a short walk take of an unspent minute, about. */
const othersCalls = 50

const lastOfRows = stages.indexOf('hazards')

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0)

/** About how many calls of its keys a run takes for the first values of all rows. */
const firstCalls = (checks: readonly SendingCheck[]): number => {
  const keyed = checks.filter(
    ({ needs: { stage } }) => stage !== 'unauthenticated' && stages.indexOf(stage) <= lastOfRows,
  )
  const callsOf = (isCreated: boolean): number =>
    sumOf(
      keyed
        .filter(({ needs, pack }) => !pack && (needs.stage === 'creations') === isCreated)
        .map(({ values = [] }) => values.length),
    )
  const pets = Math.max(0, ...keyed.map(({ needs }) => needs.pets ?? 0))
  return othersCalls + callsOf(false) + Math.max(pets, callsOf(true))
}

/** How many calls of its keys a run spends on rows. */
export const rowBudget = ({ clockUrl, keys, budget = {}, noWait }: Budgeted): number => {
  const { maxRequests = Number.POSITIVE_INFINITY, maxTimeMs } = budget
  if (clockUrl !== null) return maxRequests
  const callsIn = (minutes: number): number =>
    keys.reduce((sum, { quota }) => sum + Math.min(minutes * quota.perMinute, quota.perDay), 0)
  if (noWait) return Math.min(maxRequests, callsIn(1))
  if (maxTimeMs !== undefined) {
    return Math.min(maxRequests, callsIn(Math.max(1, Math.floor(maxTimeMs / minuteMs))))
  }
  return budget.maxRequests ?? callsIn(usualMinutes)
}

const partOf = ({ requirement }: SendingCheck): string => requirement.split('.')[0] ?? requirement

const rowsOf = (checks: readonly SendingCheck[]): readonly SendingCheck[] =>
  checks.filter(({ values }) => values !== undefined)

/** The values of larger vocabularies that one run sends. */
export class Draw {
  readonly #rows: readonly SendingCheck[]
  readonly #drawn: ReadonlySet<unknown>

  /**
   * A check that is selected sends what it sends in a whole run, which it reproduces.
   * @param checks of this run, also those that it sent before it was resumed
   */
  constructor(checks: readonly AnyCheck[], options: Budgeted & { readonly seed: number }) {
    const { seed, whole = checks } = options
    this.#rows = rowsOf(runnableChecks(checks, options))
    const all = runnableChecks(whole, options)
    const further = rowsOf(all)
      .flatMap(({ id, more = [] }) => more.map((value, at) => ({ value, name: `${id} ${at}` })))
      // A row that is added leaves the order of the others as it is.
      .map(({ value, name }) => ({ value, place: deriveSeed(seed, name) }))
      .toSorted((a, b) => a.place - b.place)
    const room = Math.max(0, rowBudget(options) - firstCalls(all))
    this.#drawn = new Set(further.slice(0, room).map(({ value }) => value))
  }

  /** What is sent of a row: its first values, and those drawn of its larger vocabulary. */
  readonly valuesOf = ({ values = [], more = [] }: SendingCheck): readonly Value[] => [
    ...values,
    ...more.filter((value) => this.#drawn.has(value)),
  ]

  /** By the part of the interface: how many values were sent of how many. */
  readonly sharesAfter = (results: readonly CheckResult[]) => {
    const tested = new Set(results.filter(isTested).map(({ id }) => id))
    const parts = Object.groupBy(this.#rows, partOf)
    return Object.fromEntries(
      Object.entries(parts).map(([part, rows = []]) => {
        const sent = rows.filter(({ id }) => tested.has(id)).map((row) => this.valuesOf(row).length)
        return [part, [sumOf(sent), sumOf(rows.map((row) => allValues(row).length))] as const]
      }),
    )
  }
}
