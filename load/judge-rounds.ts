// Rounds become verdicts: a breach fails, what has a legal explanation is left undecided.
import { Suspicion, Violation } from '../engine/outcome.ts'
import { judgeFewer } from '../engine/quota/fewer-judgements.ts'
import { type Judgement, judgeMore } from '../engine/quota/quota-judgements.ts'
import type { Round } from '../engine/quota/round.ts'

/** One burst, and a second one where the first alone does not decide. */
export interface Trial {
  /** Which one it was, in a few words. */
  readonly name: string
  readonly first: Round
  readonly second: Round | null
}

/** What is true of all trials of a lane. */
export interface Circumstances {
  /** Whether others use the keys too. */
  readonly shared: boolean
  /** Whether the test clock is moved: then nobody else calls meanwhile. */
  readonly instant: boolean
}

/** For the explanation of a verdict: when a second burst has to confirm the first one. */
export const twice =
  'two bursts have to show it where another client may explain one; once alone is left open.'
export const fewer = `Fewer served than were announced, or than the plan has after a rest; ${twice}`
export const othersAsk =
  'others use the keys (shared: true), or Remaining skipped numbers (ambiguous)'

/** Whether a second round is needed to decide one. */
export const isUndecided = (round: Round): boolean =>
  judgeMore(round).kind === 'weak' || judgeFewer(round).kind === 'weak'

type Judge = (round: Round) => Judgement

/** @returns what is to be thrown, or undefined where the sentence is kept */
const judgeTrial = (
  { name, first, second }: Trial,
  judge: Judge,
  isDecidedBy: (second: Round, found: Judgement) => boolean,
): Violation | Suspicion | undefined => {
  const found = judge(first)
  if (found.kind === 'holds') return undefined
  if (found.kind === 'unclear') return new Suspicion(`${name}: ${found.why}`, found.evidence)
  const { expected, actual, evidence } = found
  const breach = new Violation(expected, `${name}: ${actual}`, evidence)
  if (found.kind === 'breach') return breach
  const again = second && judge(second)
  if (second && again && again.kind !== 'holds' && again.kind !== 'unclear') {
    if (isDecidedBy(second, again)) return breach
  }
  return new Suspicion(`${name}: ${actual} once, which another client explains`, evidence)
}

const throwWorst = (found: readonly (Violation | Suspicion | undefined)[]): void => {
  const worst = found.find((each) => each instanceof Violation) ?? found.find((each) => each)
  if (worst) throw worst
}

/** No more is served than any legal design would. */
export const expectNotMore = (trials: readonly Trial[]): void => {
  throwWorst(
    trials.map((trial) => judgeTrial(trial, judgeMore, (_second, { kind }) => kind === 'breach')),
  )
}

/** No fewer is served than was announced, or than the plan has after a rest. */
export const expectNotFewer = (
  trials: readonly Trial[],
  { shared, instant }: Circumstances,
): void => {
  const [any] = trials
  if (shared && any) {
    const why = 'others use the keys (shared: true), so what they spent is not known'
    throw new Suspicion(why, any.first.probes)
  }
  throwWorst(
    trials.map((trial) =>
      judgeTrial(trial, judgeFewer, (second, { kind }) => {
        return kind === 'breach' || instant || second.key.label !== trial.first.key.label
      }),
    ),
  )
}
