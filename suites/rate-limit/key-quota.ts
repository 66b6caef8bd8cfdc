// Whether a key was served exactly its quota: a round, and a second one where that alone decides.
import type { Context } from '../../engine/context.ts'
import { Suspicion, Violation } from '../../engine/outcome.ts'
import {
  type Judgement,
  judgeFewerBeside,
  judgeMore,
  judgeMoreBeside,
} from '../../engine/quota/judgements.ts'
import type { LimitKey } from '../../engine/quota/limits.ts'
import { cutIn, isOverLimit, missingIn, type Round } from '../../engine/quota/round.ts'
import { isAlone, wasFelt } from './alone.ts'
import { exhausted } from './exhausted.ts'
import { isRefused, isServed } from './reading.ts'

/** Holds the second round, where the first one has a legal explanation. */
export type HoldAgain = (context: Context, key: LimitKey) => Promise<Round>

const fail = ({ expected, actual, evidence }: Judgement & { kind: 'breach' | 'weak' }): never => {
  throw new Violation(expected, actual, evidence)
}

const suspect = (why: string, { evidence }: Judgement & { kind: 'breach' | 'weak' }): never => {
  throw new Suspicion(why, evidence)
}

/**
 * Where the first round has a legal explanation that a second one would not have, it is held.
 * @param isDecidedBy whether that other round leaves no explanation
 */
const judgeTwice = async (
  context: Context,
  key: LimitKey,
  again: HoldAgain,
  judge: (round: Round) => Judgement,
  isDecidedBy: (second: Round, found: Judgement) => boolean | Promise<boolean>,
): Promise<void> => {
  const first = judge(await exhausted(context, key))
  if (first.kind === 'unclear') throw new Suspicion(first.why, first.evidence)
  if (first.kind === 'breach') fail(first)
  if (first.kind !== 'weak') return
  const round = await again(context, key)
  const second = judge(round)
  if (second.kind === 'holds' || second.kind === 'unclear') {
    suspect(`${first.actual} once, and not again: a run without other clients decides`, first)
  } else if (await isDecidedBy(round, second)) fail(second)
  else suspect(`${first.actual}, which another client explains: a second key decides`, first)
}

/** What was served beyond the announced was another client's, unless nobody else is there. */
export const moreOf = async (context: Context, round: Round) => {
  const isAsked = context.limits.instant && judgeMore(round).kind !== 'holds'
  return isAsked && (await isAlone(context, round.key, round)) ? judgeMore : judgeMoreBeside
}

/** Whether the server has limited anything: by a 429, or by something else in its place. */
const isLimited = (round: Round): boolean =>
  [...round.probes, ...round.burst].some(
    (one) => isRefused(one) || (!isServed(one) && isOverLimit(round, one)),
  )

/** No more than the quota of a key is served. */
export const expectNotMore = async (
  context: Context,
  key: LimitKey,
  again: HoldAgain,
): Promise<void> => {
  const round = await exhausted(context, key)
  const judge = await moreOf(context, round)
  await judgeTwice(context, key, again, judge, (_round, { kind }) => kind === 'breach')
  if (isLimited(round)) return
  const why = 'nothing was refused: calls come back as fast as they are sent, or some failed'
  throw new Suspicion(`${why}; a faster target or network decides`, round.burst.slice(-1))
}

/** No less than it is served: what nobody else can have spent. */
export const expectNotFewer = async (
  context: Context,
  key: LimitKey,
  again: HoldAgain,
): Promise<void> => {
  const { limits } = context
  const round = await exhausted(context, key)
  if (limits.shared) {
    const why = 'others use the key (shared: true), so what they spent is not known'
    throw new Suspicion(why, round.probes)
  }
  if (round.lost === 0 && [...round.probes, ...round.burst].every(isServed)) {
    throw new Suspicion('nothing was refused, so no limit was met', round.burst.slice(-1))
  }
  const isDecidedBy = (second: Round, { kind }: Judgement) => {
    const missing = missingIn(round)
    if (kind === 'breach') return true
    // A probe before a reset is one call more.
    if (Math.abs(missingIn(second) - missing) > 1) return false
    if (second.key.label !== key.label) return true
    const isCut = [round, second].every((each) => cutIn(each) > 1)
    if (isCut && !limits.instant) return !wasFelt(context, key)
    return limits.instant && isAlone(context, key, second)
  }
  await judgeTwice(context, key, again, judgeFewerBeside, isDecidedBy)
}
