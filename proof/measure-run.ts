// What a run takes, measured: the same checks with the same keys and permissions, against the
// reference in virtual time.

import { type AnyCheck, sendsRequests } from '../engine/check/declare.ts'
import type { RunFile } from '../engine/check/run-file.ts'
import type { PlanOptions } from '../engine/check/spendable-keys.ts'
import type { Entry } from '../engine/run/journal.ts'
import type { Forecast } from '../engine/run/run-options.ts'
import { plans } from '../spec/plans.ts'
import { openVirtually, runVirtually } from './virtual-run.ts'

/** One Free key in real time, and the permission to write. */
export const oneFreeKey: PlanOptions = {
  allow: ['write', 'expose'],
  clockUrl: null,
  descriptionUrl: null,
  keys: [{ plan: 'free', key: 'petvet-one-free-key-5f21c09b', quota: plans.free }],
}

/** A run that begins late in a fixed window waits less for its end; a sliding log waits longer. */
export const timeRoom = [0.85, 1.2] as const

/** More than any run sends. */
const maxRequests = 1_000_000

export interface MeasuredRun extends Forecast {
  readonly run: RunFile
}

/**
 * @param options keys, permissions, clock and how far it walks
 * @param own whether it waits in real time, and whether clauses judge it
 */
export const measureRun = async (
  checks: readonly AnyCheck[],
  { allow, keys, clockUrl, shared = false, walk, whole, budget = {} }: PlanOptions,
  { noWait = false, isJudged = false } = {},
): Promise<MeasuredRun> => {
  // The keys of a user go nowhere.
  const standIns = keys.map((each, at) => ({ ...each, key: `measured-${at}-5f21c09b` }))
  const world = openVirtually({}, standIns, {
    ...{ allow, budget, maxRequests, shared, noWait, isMeasured: !isJudged },
    ...(walk !== undefined && { walk }),
    ...(whole && { whole }),
    hasClock: clockUrl !== null,
  })
  // The description is fetched without a key.
  const those = checks.filter((each) => (sendsRequests(each) ? !each.needs.description : isJudged))
  const beginMs = new Map<string, number>()
  const sent = new Map<string, { keyed: number; anonymous: number }>()
  const run = await runVirtually(world, those, {
    journal: (line) => {
      const entry = JSON.parse(line) as Entry
      if (entry.kind !== 'sending') return
      const { check, key } = entry
      const own = sent.get(check) ?? { keyed: 0, anonymous: 0 }
      own[key === null ? 'anonymous' : 'keyed'] += 1
      sent.set(check, own)
    },
    event: (event) => {
      if (event.kind === 'check') beginMs.set(event.id, world.time.now())
    },
  })
  return { run, requests: run.requests, lengthMs: world.time.now(), beginMs, sent }
}
