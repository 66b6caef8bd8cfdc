// Whether a round shows that a key was served too little. Pure: from answers to words.
import type { Answered } from '../exchange.ts'
import { statusOf } from '../exchange.ts'
import { isRefused, isServed, minuteSaid } from './key-minute.ts'
import {
  announcedIn,
  ends,
  gapsIn,
  holds,
  type Judgement,
  servedOf,
  stepOf,
} from './quota-judgements.ts'
import type { Round } from './round.ts'
import { announcedBy, failedIn } from './round.ts'

const tooFew = (round: Round, expected: string, actual: string): Judgement => {
  const refused = [...round.probes, ...round.burst].find(isRefused)
  const evidence = [...round.probes.slice(-1), ...(refused ? [refused] : [])]
  return { kind: 'breach', expected, actual, evidence }
}

const weakly = (judgement: Judgement): Judgement =>
  judgement.kind === 'breach' ? { ...judgement, kind: 'weak' } : judgement

/** What failed, cannot be read, or never came is no refusal, and may have counted. */
const unknown = (round: Round): Judgement => {
  const [first] = failedIn(round)
  const failed = failedIn(round).length
  const kinds = [
    ...(failed > 0 && first ? [`${failed} failed (${statusOf(first)})`] : []),
    ...(round.lost > 0 ? [`${round.lost} got no answer`] : []),
  ]
  const why = `of the burst ${kinds.join(' and ')}, and may have counted`
  return { kind: 'unclear', why, evidence: first ? [first] : ends(round.burst) }
}

/** Fewer were served than the last probe announced. */
const judgeMissing = (round: Round, served: number, missing: number): Judgement => {
  const announced = announcedBy(round)
  const breach = tooFew(
    round,
    `${announced} more served, as was announced`,
    `${served} served, then 429`,
  )
  const numbers = announcedIn(round)
  // Each call of a burst may take two, but no other client calls exactly between any two of ours.
  if ((stepOf(numbers) ?? 1) > 1) return breach
  if (gapsIn(round) > 0) {
    const why = 'Remaining skipped numbers, so another client may have used the key'
    return { kind: 'unclear', why, evidence: ends(round.burst) }
  }
  return missing > 1 ? breach : weakly(breach)
}

/** @param round on a key that rested before it, and in which something was refused */
export const judgeFewer = (round: Round): Judgement => {
  const { perMinute } = round.key.quota
  const expected = `${perMinute} requests served after a rest of two windows`
  const failed = failedIn(round).length
  if (!round.probes.every(isServed)) {
    const before = round.probes.length - 1
    const status = statusOf(round.probes[before] as Answered)
    if (status === 429) return weakly(tooFew(round, expected, `${before} served, then ${status}`))
    const why = `a rested key was answered ${status}, which says nothing of its quota`
    return { kind: 'unclear', why, evidence: round.probes }
  }
  const served = round.burst.filter(isServed).length
  const all = servedOf(round).length
  const missing = announcedBy(round) - served
  if (round.lost > 0) return unknown(round)
  const isAnnounced = minuteSaid(round.probes.at(-1) as Answered, round.key.quota) !== undefined
  if (missing > 0 && isAnnounced) {
    const isSure = missing > failed && round.burst.some(isRefused)
    return isSure ? judgeMissing(round, served, missing - failed) : unknown(round)
  }
  if (all + failed >= perMinute) return holds
  return weakly(tooFew(round, expected, `${all} served`))
}

/** How many the burst did not get of those that it had been told of. */
export const cutIn = (round: Round): number => {
  const last = round.probes.at(-1)
  if (!last || minuteSaid(last, round.key.quota) === undefined) return 0
  return announcedBy(round) - round.burst.filter(isServed).length
}

/** How many of the minute were not served. */
export const missingIn = (round: Round): number =>
  round.key.quota.perMinute - servedOf(round).length

/**
 * The same where another client may have called. Whoever sends a crowd at once takes all that is
 * left from a burst, which then looks cut short; the same number again in another round is none.
 */
export const judgeFewerBeside = (round: Round): Judgement => {
  const numbers = announcedIn(round)
  const isCut = (stepOf(numbers) ?? 1) === 1 && (numbers.at(-1) ?? 0) > 0
  return isCut ? weakly(judgeFewer(round)) : judgeFewer(round)
}
