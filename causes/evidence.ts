// Which exchanges show failures, and whether those of one are all among those of others.

import type { CheckResult, Finding } from '../engine/check/run-file.ts'
import { type Feature, featureOf } from './features.ts'

/** The exchanges that show failures. */
export interface Shown {
  readonly listed: ReadonlySet<number>
  /** How many there are, at least. */
  readonly times: number
  /** The last one of a kind of which later ones are not listed; infinite if all are. */
  readonly cutAt: number
}

/** Whether a later finding of a check is like its first one: other kinds show other faults. */
const isLikeFirst = (one: Finding, first: Finding): boolean =>
  one === first ||
  (one.aspect === first.aspect && featureKey(featureOf(one)) === featureKey(featureOf(first)))

const featureKey = ({ aspect, name, kind, status, conditions }: Feature): string =>
  aspect === 'status' ? [status, ...conditions].join('|') : [name, kind].join('|')

/** @param isHost whether only what its first findings show matters */
export const shownBy = (results: readonly CheckResult[], isHost = false): Shown => {
  const findings = results.flatMap(({ findings: [first, ...others] = [] }) => {
    if (!first) return []
    return [first, ...others.filter((each) => !isHost || isLikeFirst(each, first))]
  })
  const listed = new Set(findings.flatMap(({ exchanges }) => exchanges))
  const cut = findings.filter(({ times, exchanges }) => exchanges.length < times)
  return {
    listed,
    times: Math.max(listed.size, ...findings.map(({ times }) => times)),
    cutAt: Math.min(...cut.map(({ exchanges }) => Math.max(...exchanges))),
  }
}

/** So many that two failures share stand for those that are not listed. */
const minCommon = 10

/** Whether each exchange of the guest is one of the host, as far as they are listed. */
export const isWithin = (guest: Shown, host: Shown): boolean => {
  if (guest.times > host.times) return false
  const others = [...guest.listed].filter((seq) => !host.listed.has(seq))
  if (others.length === 0 && guest.cutAt === Number.POSITIVE_INFINITY) return true
  const common = guest.listed.size - others.length
  return common >= minCommon && others.every((seq) => seq > host.cutAt)
}
