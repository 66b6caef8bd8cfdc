// A program of the limiter: it sends, and the laws judge how its keys were served and refused. Each
// is whole: it rests the key that it needs, and no other program sends anything for it.

import type { Context, LimitKey } from '../../engine/check/context.ts'
import { type Check, check, type Needs } from '../../engine/check/declare.ts'
import { judgeResponses } from '../../engine/check/laws.ts'
import { firstSmallest } from '../../engine/check/spendable-keys.ts'
import { completes, Untested, Violation } from '../../history/outcome.ts'
import type { LawId } from '../../model/limiter/laws.ts'
import { whyUntried } from '../../model/limiter/limits.ts'
import type { BindingRequirementId } from '../../spec/requirements.ts'

export const limitNeeds: Needs = { stage: 'limits', allow: ['exhaust'] }

/** The key that is cheapest to exhaust. */
export const cheapest = ({ limits }: Context): LimitKey => {
  const key = firstSmallest(limits.keys, 'perMinute')
  if (key) return key
  throw new Untested('key', 'needs a key that may be exhausted, next to the one for bans')
}

interface Program {
  readonly id: string
  readonly requirement: BindingRequirementId
  readonly needs: Needs
  readonly sends: string
  /** Those that are about its requirement, by the ids of their clauses. */
  readonly laws: readonly [LawId, ...LawId[]]
  /** More laws that its calls may break: their clauses judge them, and a doubt repeats it. */
  readonly clauses?: readonly LawId[]
  /**
   * Sends; what ends it early is thrown once what was received has been judged.
   * @param time counts from 0: it is repeated where a law is in doubt
   */
  readonly run: (context: Context, time: number) => Promise<void>
  /** How often it is repeated: what is seen twice at one place is no other client. */
  readonly again?: { readonly instant: number; readonly real: number }
}

/** Runs a program; again, as often as it says, while it is in doubt. */
const runInDoubt = async (
  context: Context,
  { run, again }: Pick<Program, 'run' | 'again'>,
  isInDoubt: () => boolean,
): Promise<void> => {
  const times = again?.[context.limits.instant ? 'instant' : 'real'] ?? 0
  const first = await Promise.allSettled([run(context, 0)])
  for (let time = 1; time <= times; time += 1) {
    if (!isInDoubt()) break
    await completes(run(context, time))
  }
  for (const each of first) if (each.status === 'rejected') throw each.reason
}

export const program = (declared: Program): Check => {
  const { laws, clauses = [] } = declared
  return check({
    ...declared,
    fails: `What ${laws.map((law) => `\`${law}\``).join(', ')} find about its calls.`,
    inconclusive: 'what the laws find may be due to another client of the key (ambiguous)',
    run: async (context) => {
      const since = context.history.exchanges.length
      const find = (those: readonly LawId[]) => {
        const exchanges = [...context.history.exchanges]
        const own = exchanges.slice(since).filter(({ key }) => key !== null)
        // A copy, as what is derived from a history is remembered.
        return judgeResponses({ ...context.history, exchanges }, own, those)
      }
      await context.control('list')
      const isInDoubt = () =>
        !(find(laws).error instanceof Violation) && find([...laws, ...clauses]).doubt !== undefined
      const [ended] = await Promise.allSettled([runInDoubt(context, declared, isInDoubt)])
      const { error, wasTried } = find(laws)
      if (error) throw error
      if (ended.status === 'rejected') throw ended.reason
      if (!wasTried) throw new Untested('ambiguous', whyUntried(laws[0]))
    },
  })
}
