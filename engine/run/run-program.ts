// Runs a program: it sends, and returns nothing. It owns the statuses that it got, and what the
// laws that it names find of its calls; while one of them is in doubt, it is sent again.

import type { AnsweredExchange } from '../../history/exchange.ts'
import { completes, Untested } from '../../history/outcome.ts'
import { isRefused } from '../../history/rate-headers.ts'
import { Unexplained } from '../../model/explanation.ts'
import type { About } from '../../model/judge.ts'
import { whyUntried } from '../../model/limiter/relation.ts'
import { statusDue } from '../../model/status.ts'
import type { Context } from '../check/context.ts'
import type { Check } from '../check/declare.ts'
import { errorIn, expectEach } from '../check/findings.ts'
import type { Session } from './session.ts'

/** A program owns the statuses that it got. @throws Violation; Untested: they may be explained */
const judgeStatuses = async (
  { id }: Check,
  context: Context,
  { trace, judge }: Session,
  since: number,
): Promise<void> => {
  const isOpen = (one: AnsweredExchange) =>
    one.check === id &&
    !isRefused(one) &&
    (judge.violatedBy(one).some(({ clause }) => clause.id === statusDue.id) ||
      judge.doubtsAbout(one).some((doubt) => doubt instanceof Unexplained))
  await expectEach(trace.slice(since).filter(isOpen), async (response) => {
    const found = (await context.judged(response)).find(({ clause }) => clause.id === statusDue.id)
    if (found) throw found.violation
  })
}

/** What spends a quota takes many requests; in real time days and bans are not repeated. */
const timesOf = ({ needs }: Check, { pace }: Session): number => {
  if (pace.instant) return needs.plan === undefined ? 3 : 2
  return needs.stage === 'limits' ? 2 : 1
}

/** Again while it is in doubt: what is seen twice at one place is no other client. */
const runInDoubt = async (
  check: Check,
  context: Context,
  session: Session,
  isInDoubt: () => boolean,
): Promise<void> => {
  const [first] = await Promise.allSettled([check.run?.(context, 0)])
  for (let time = 1; time < timesOf(check, session) && isInDoubt(); time += 1) {
    session.again()
    await completes(check.run?.(context, time) ?? Promise.resolve())
  }
  if (first.status === 'rejected') throw first.reason
}

/** What ends it early is thrown once what was received has been judged. */
const runByLaws = async (
  check: Check,
  laws: readonly [string, ...string[]],
  context: Context,
  session: Session,
): Promise<void> => {
  const { trace, judge } = session
  const [begin, sinceSeq] = [trace.length, trace.at(-1)?.seq ?? 0]
  const find = (ids: readonly string[]): About => judge.about({ check: check.id, sinceSeq }, ids)
  const isInDoubt = () =>
    find(laws).violations.length === 0 &&
    find([...laws, ...(check.clauses ?? [])]).doubts.length > 0
  const work = runInDoubt(check, context, session, isInDoubt)
  const [ended] = await Promise.allSettled([work])
  const found = find(laws)
  const calls = trace.slice(begin).filter(({ key }) => key !== null)
  const error = errorIn(found, calls.length)
  if (error) throw error
  if (ended.status === 'rejected') throw ended.reason
  if (!found.isMet) throw new Untested('ambiguous', whyUntried(laws[0]))
}

/** What it got is judged also where it could not go on. @throws Violation, Untested */
export const runProgram = async (
  check: Check,
  context: Context,
  session: Session,
): Promise<void> => {
  if (check.laws) return runByLaws(check, check.laws, context, session)
  const since = session.trace.length
  const [ended] = await Promise.allSettled([check.run?.(context, 0)])
  const isOver = ended.status === 'rejected' && !(ended.reason instanceof Untested)
  if (!isOver) await judgeStatuses(check, context, session, since)
  if (ended.status === 'rejected') throw ended.reason
}
