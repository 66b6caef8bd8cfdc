// A minute lasts a minute: a key that spent its last request is served after 75 s of silence.

import type { Context, LimitKey } from '../../engine/context.ts'
import { check, type Question } from '../../engine/declare.ts'
import { type Answered, statusOf } from '../../engine/exchange.ts'
import { told, violate } from '../../engine/expect.ts'
import { Suspicion, Untested } from '../../engine/outcome.ts'
import { isAlone, mayBeOthersBan } from './alone.ts'
import { rememberRested } from './exhausted.ts'
import { answered, flood } from './flood.ts'
import { passUntil, phases } from './phase.ts'
import { hindsight } from './quota.ts'
import { isServed, isShutOut, minuteSaid, waitForResetMs } from './reading.ts'
import { cheapest, short } from './round.ts'

/** Nobody needs more rest than this, whatever the design (ruling 17). */
const silenceMs = 75_000
/** A window that has just begun has about all of its minute ahead. */
const freshMs = 50_000
/** By the test clock a Reset this far ahead is waited for. */
const longMs = 600_000

interface Rest {
  /** What spent the last of the minute; none was refused. */
  readonly spent: readonly Answered[]
  /** After the silence. */
  readonly first: Answered
}

/** What is left of a window that has just begun; it waits for one where this one is older. */
const freshProbe = async (context: Context, key: LimitKey): Promise<Answered> => {
  const ask = () => context.call({ ...short, key: key.label })
  const first = await ask()
  const said = minuteSaid(first, key.quota)
  if (!said) {
    await context.limits.rest(key.label)
    return ask()
  }
  // Where it costs no time the next window is begun in any case, however long this one is.
  const isFresh = said.resetInMs >= freshMs && !context.limits.instant
  if (isFresh || !isServed(first)) return first
  // A window that is too long is to be at its beginning as well.
  const waitMs = context.limits.instant ? Math.min(said.resetInMs, longMs) + 1_000 : 0
  await context.limits.pass(Math.max(waitMs, waitForResetMs(said)))
  return ask()
}

const unlessRefused = (answers: readonly Answered[]): void => {
  const refused = answers.find((one) => !isServed(one))
  if (!refused) return
  const message = `it was refused before its minute was spent: ${statusOf(refused)}`
  throw new Untested('ambiguous', message, [refused])
}

/** Spends so many that were announced, so that nothing is refused. */
const spend = async ({ limits }: Context, { label }: LimitKey, count: number) => {
  const { answers } = await flood(limits, label, Array<typeof short>(count).fill(short))
  unlessRefused(answers)
  return answers
}

const leftBy = (answer: Answered, { quota }: LimitKey): number =>
  Math.min(minuteSaid(answer, quota)?.remaining ?? quota.perMinute - 1, quota.perMinute)

const spendAndRest = async (context: Context, key: LimitKey): Promise<Rest> => {
  const { limits } = context
  const last = await freshProbe(context, key)
  unlessRefused([last])
  const spent = [last, ...(await spend(context, key, leftBy(last, key)))]
  await passUntil(context, silenceMs, phases.begin)
  const first = await limits.insist(key.label, short)
  rememberRested(context, key, first)
  return { spent, first }
}

const rested = (context: Context): Promise<Rest> => {
  const key = cheapest(context.limits)
  return context.once(`spent and rested: ${key.label}`, () => answered(spendAndRest(context, key)))
}

/** Whether a key was served after 75 s; undecided is no. */
export const isRestedServed = async (context: Context): Promise<boolean> => {
  try {
    return isServed((await rested(context)).first)
  } catch (error) {
    if (error instanceof Untested) return false
    throw error
  }
}

/** Whoever was there the first time may be gone: then what was refused is served. */
const isServedAgain = async (context: Context, key: LimitKey): Promise<boolean> => {
  try {
    return isServed((await answered(spendAndRest(context, key))).first)
  } catch (error) {
    // By the test clock a key that is not served at all is the server's doing.
    if (error instanceof Untested) return !context.limits.instant
    throw error
  }
}

const mostCost = 60 + 4

export const rest: readonly Question[] = [
  check({
    id: 'window-rested-served',
    requirement: 'limits.window-ends',
    needs: { ...hindsight, keyed: mostCost, holds: 'silence' },
    sends:
      'The rest of a fresh minute is spent without a refusal, the key is silent for 75 s (by the ' +
      'test clock, if there is one), and sends one request.',
    fails: 'It is refused, twice.',
    inconclusive:
      'it was refused before its minute was spent, or another client may have used the key ' +
      '(ambiguous)',
    run: async (context) => {
      await context.control('list')
      // The burst that follows begins with the first request after the silence: none comes between.
      if (context.allow.includes('write')) await context.control('create')
      const { spent, first } = await rested(context)
      if (isServed(first)) return
      const evidence = [...spent.slice(-1), first]
      const key = cheapest(context.limits)
      const isOthers = !isShutOut(first) || (await mayBeOthersBan(context, key, first))
      if (isOthers || !(await isAlone(context, key, undefined))) {
        throw new Suspicion('another client may have spent the minute meanwhile', evidence)
      }
      if (await isServedAgain(context, key)) {
        throw new Suspicion('it was refused once, and not again', evidence)
      }
      const expected = `a request served after ${silenceMs / 1000} s of silence`
      violate(expected, told(first), ...evidence)
    },
  }),
]
