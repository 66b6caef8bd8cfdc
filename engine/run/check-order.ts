// In which order the checks of a run are sent, by what they declare.

import {
  type AnyCheck,
  type SendingCheck,
  type Stage,
  sendsRequests,
  stages,
} from '../check/declare.ts'
import { missingPrerequisite, type PlanOptions } from '../check/spendable-keys.ts'

/** In these a check builds on what another one of the same stage did only where it says so. */
const free: readonly Stage[] = ['unauthenticated', 'refusals', 'reads']

const mayComeFirst = ({ needs, sentBy }: SendingCheck): boolean =>
  free.includes(needs.stage) && sentBy === undefined

/** Without a test clock a spent day is over for good, and would leave nothing for the hazards. */
const stageOrder = (isInstant: boolean): readonly Stage[] =>
  isInstant ? [...stages.filter((stage) => stage !== 'hazards'), 'hazards'] : stages

const spendsNoKey = ({ needs }: SendingCheck) => needs.stage === 'unauthenticated'

/** From this stage on checks leave a key or the target in a state that no other check can use. */
const days = stages.indexOf('days')

/** Whether it spends a quota, spoils the target or moves its clock. */
export const spendsOrMoves = ({ needs }: SendingCheck): boolean =>
  stages.indexOf(needs.stage) >= stages.indexOf('limits')

/** Finds out what a creation may have, which others create without a key too. */
export const isProbe = ({ needs }: SendingCheck): boolean =>
  needs.stage === 'probes' && needs.allow?.includes('write') === true

/** After all that has a place. */
const last = Number.MAX_SAFE_INTEGER

/** It comes before all that has a place by the kill table. */
const failedRank = -1

/** What failed before comes first in its stage, where nothing there builds on anything else. */
export const withFirst = <C extends AnyCheck>(
  checks: readonly C[],
  failed: ReadonlySet<string>,
): readonly C[] =>
  checks.map((check) => {
    if (!failed.has(check.id) || !sendsRequests(check)) return check
    const isMovable = mayComeFirst(check) || check.needs.stage === 'creations'
    return isMovable ? { ...check, rank: failedRank } : check
  })

/**
 * The place of a check where a wait takes real time: first what needs no key, and where the run
 * ends with the first minute, then what has a place in it; of that the hazards last.
 */
const placeOf = (check: SendingCheck, noWait: boolean, isLate: boolean): number => {
  const { stage } = check.needs
  if (isProbe(check)) return -3
  if (spendsNoKey(check)) return isLate ? last + 1 : -2
  if (!noWait || check.rank === undefined || stages.indexOf(stage) >= days) return last
  return stage === 'hazards' ? last - 1 : check.rank
}

interface Pace {
  readonly isInstant: boolean
  readonly noWait: boolean
  readonly maxRequests?: number
}

/** What needs no key gets so much of a budget first: it finds less than what needs one. */
const keylessShare = 1 / 3

/** What needs no key and has no room in its share of a budget. */
const withoutRoom = (checks: readonly SendingCheck[], most: number): ReadonlySet<SendingCheck> => {
  let left = most * keylessShare
  return new Set(
    checks.filter(spendsNoKey).filter(({ values = [] }) => {
      left -= Math.max(1, values.length)
      return left < 0
    }),
  )
}

/**
 * The checks in the order of a run: by stage, and within one by the catalogue. In real time those
 * that need no key come first, as no quota delays them.
 */
export const inOrder = (
  checks: readonly AnyCheck[],
  { isInstant, noWait, maxRequests = Number.POSITIVE_INFINITY }: Pace,
): readonly SendingCheck[] => {
  const isLater = (check: SendingCheck) => Number(check.rank !== failedRank || !mayComeFirst(check))
  const ordered = stageOrder(isInstant).flatMap((stage) =>
    checks
      .filter(sendsRequests)
      .filter(({ needs }) => needs.stage === stage)
      .sort((a, b) => isLater(a) - isLater(b)),
  )
  if (isInstant) return ordered
  const late = withoutRoom(ordered, maxRequests)
  const place = (check: SendingCheck) => placeOf(check, noWait, late.has(check))
  return ordered.sort((a, b) => place(a) - place(b))
}

/** The checks that can run with these options. */
export const runnableChecks = (checks: readonly AnyCheck[], options: PlanOptions): SendingCheck[] =>
  checks
    .filter(sendsRequests)
    .filter(({ needs }) => missingPrerequisite(needs, options) === undefined)
