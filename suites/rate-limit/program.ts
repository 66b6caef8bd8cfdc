// A program of the limiter: it sends, and the laws judge how its key was served and refused.

import type { Context } from '../../engine/check/context.ts'
import { type Check, check, type Needs } from '../../engine/check/declare.ts'
import { byLaw, judgeResponses } from '../../engine/check/laws.ts'
import type { AnsweredExchange } from '../../history/exchange.ts'
import { completes, Untested } from '../../history/outcome.ts'
import type { LawId } from '../../model/limiter/breach.ts'
import { whyUntried } from '../../model/limiter/limits.ts'
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

/** What the laws find about responses, by the history as it is now. */
const judge = (
  { history }: Context,
  responses: readonly AnsweredExchange[],
  laws: readonly LawId[],
) => {
  const now = { ...history, exchanges: [...history.exchanges] }
  return judgeResponses(now, responses, laws.map(byLaw))
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
        const responses = [...new Set([...earlier, ...own])]
        return { own: responses, ...judge(context, responses, laws) }
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
      if (judge(context, all, laws).wasTried) return
      throw new Untested('ambiguous', whyUntried(laws[0]))
    },
  })

/** A program for each plan. */
export const ofEachPlan = <P extends Plan>(
  names: readonly P[],
  make: (plan: P) => Check,
): Readonly<Record<P, Check>> =>
  Object.fromEntries(names.map((plan) => [plan, make(plan)])) as Record<P, Check>
