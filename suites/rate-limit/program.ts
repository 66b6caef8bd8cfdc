// A program of the limiter: it sends, and the laws judge how its key was served and refused.

import type { Context } from '../../engine/check/context.ts'
import { type Check, check, type Needs } from '../../engine/check/declare.ts'
import { Collected } from '../../engine/check/findings.ts'
import type { AnsweredExchange } from '../../history/exchange.ts'
import type { History } from '../../history/history.ts'
import { completes, Untested, Violation } from '../../history/outcome.ts'
import type { LawId } from '../../model/limiter/breach.ts'
import { judgeLaw, whyUntried } from '../../model/limiter/limits.ts'
import type { Plan } from '../../spec/plans.ts'
import type { BindingRequirementId } from '../../spec/requirements.ts'

interface Program {
  readonly id: string
  readonly requirement: BindingRequirementId
  readonly needs: Needs
  readonly sends: string
  /** Those that its calls may break, by the ids of their clauses. */
  readonly laws: readonly [LawId, ...LawId[]]
  /**
   * Sends; what ends it early is thrown once what was received has been judged.
   * @param earlier gets the responses to an earlier program that are judged like its own
   */
  readonly run: (context: Context, earlier: AnsweredExchange[]) => Promise<void>
  /** Sends again where a law is in doubt: what is seen twice at one place is no other client. */
  readonly again?: (context: Context) => Promise<unknown>
  /** Responses to another program, which reports what is wrong with them: they may be enough. */
  readonly reads?: (context: Context) => Promise<readonly AnsweredExchange[]>
}

/** @returns whether the law could have been broken, or what is wrong, or in doubt */
const lookAt = (law: LawId, exchange: AnsweredExchange, history: History) => {
  try {
    return judgeLaw(law, exchange, history)
  } catch (error) {
    if (error instanceof Violation || error instanceof Untested) return error
    throw error
  }
}

/** What the laws say of some responses, by the history as it is now. */
const lookAtAll = (
  { history }: Context,
  responses: readonly AnsweredExchange[],
  laws: readonly LawId[],
) => {
  // What is derived from a history is remembered.
  const now = { ...history, exchanges: [...history.exchanges] }
  return laws.flatMap((law) => responses.map((exchange) => lookAt(law, exchange, now)))
}

/** What the laws find about responses: a violation, a doubt, or that they could be broken. */
const judge = (context: Context, own: readonly AnsweredExchange[], laws: readonly LawId[]) => {
  const found = lookAtAll(context, own, laws)
  const collected = new Collected(context.history.exchanges)
  for (const one of found) if (one instanceof Violation) collected.add(one)
  const doubt = found.find((one) => one instanceof Untested)
  return { own, doubt, error: collected.violation(own.length, 'responses') ?? doubt }
}

export const program = ({ laws, run, again, reads, ...declared }: Program): Check =>
  check({
    ...declared,
    fails: `What ${laws.map((law) => `\`${law}\``).join(', ')} find about its calls.`,
    inconclusive: 'what the laws find may be due to another client of the key (ambiguous)',
    run: async (context) => {
      const since = context.history.exchanges.length
      const earlier: AnsweredExchange[] = []
      const findings = () => {
        const own = context.history.exchanges.slice(since).filter(({ key }) => key !== null)
        return judge(context, [...new Set([...earlier, ...own])], laws)
      }
      const ended = await run(context, earlier).then(
        () => undefined,
        (thrown: unknown) => ({ thrown }),
      )
      const { doubt, error: first } = findings()
      if (again && doubt && doubt === first) await completes(again(context))
      const { own, error } = findings()
      if (error) throw error
      if (ended) throw ended.thrown
      const all = reads ? [...own, ...(await reads(context))] : own
      if (lookAtAll(context, all, laws).includes(true)) return
      throw new Untested('ambiguous', whyUntried(laws[0]))
    },
  })

/** A program for each plan. */
export const ofEachPlan = <P extends Plan>(
  names: readonly P[],
  make: (plan: P) => Check,
): Readonly<Record<P, Check>> =>
  Object.fromEntries(names.map((plan) => [plan, make(plan)])) as Record<P, Check>
