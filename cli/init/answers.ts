// What a project's start is made of: from the flags, and asked for at a terminal.
import type { Plan } from '../../spec/plans.ts'
import { readAddress, readBaseUrl } from '../addresses.ts'
import { type CiName, ciNames } from '../ci-names.ts'
import { planOf } from '../plan-name.ts'
import { UsageError } from '../usage-error.ts'

export interface InitFlags {
  readonly 'base-url': string | undefined
  readonly plan: readonly string[] | undefined
  readonly clock: string | undefined
  readonly ci: CiName | undefined
  readonly force: boolean | undefined
}

export interface Answers {
  readonly target: string
  readonly plans: readonly Plan[]
  readonly clock: string | null
  readonly ci: CiName
}

/** Asks for a line; the usual answer is what an empty line means. */
export type Ask = (question: string, usual: string) => Promise<string>

const usualTarget = 'http://127.0.0.1:8080/v1'
const mostKeys = 100
/** How often a question is put where somebody can answer anew. */
const askedMost = 3

export interface Asking {
  readonly ask: Ask
  /** Told what is wrong with an answer before the question is put again; null: it is not. */
  readonly wrong: ((message: string) => void) | null
}

/** @param asking null where nobody is there to answer: then the usual answers stand */
export const readAnswers = async (flags: InitFlags, asking: Asking | null): Promise<Answers> => {
  const answer = async <T>(
    given: string | undefined,
    [question, usual]: readonly [question: string, usual: string],
    read: (text: string) => T,
  ): Promise<T> => {
    if (given !== undefined || asking === null) return read(given ?? usual)
    for (let asked = 1; ; asked += 1) {
      const text = (await asking.ask(question, usual)).trim() || usual
      try {
        return read(text)
      } catch (error) {
        if (!(error instanceof UsageError) || !asking.wrong || asked >= askedMost) throw error
        asking.wrong(error.message)
      }
    }
  }
  const where = ['Base address of the API', usualTarget] as const
  const target = await answer(flags['base-url'], where, readTarget)
  const plans = ['Plans of your keys, one for each', 'free'] as const
  const clock = ['Address of its test clock, if it has one', ''] as const
  const ci = [`Workflow for CI (${ciNames.join(', ')})`, 'none'] as const
  return {
    target,
    plans: await answer(flags.plan?.join(','), plans, readPlans),
    clock: await answer(flags.clock, clock, readClock),
    ci: await answer(flags.ci, ci, readCi),
  }
}

const readTarget = (text: string): string =>
  readBaseUrl('the base-url', text).href.replace(/\/$/, '')

const readClock = (text: string): string | null =>
  text === '' ? null : readAddress('the clock', text).href

/** What is odd about an address, and yet may be meant. */
export const oddityOf = ({ target }: Answers): string | undefined =>
  new URL(target).pathname.endsWith('/v1')
    ? undefined
    : `${target} does not end in /v1, as base addresses of the interface do: is it the right one?`

const plansAlone = 'name the plan of each key, and no key: petvet reads it from the environment'

const readPlans = (text: string): readonly Plan[] => {
  const plans = text.split(/[\s,]+/).filter((name) => name !== '')
  if (plans.length === 0 || plans.length > mostKeys) {
    throw new UsageError(`name from 1 to ${mostKeys} plans, one for each key`)
  }
  return plans.map((name) => planOf(name, plansAlone))
}

const readCi = (text: string): CiName => {
  const ci = ciNames.find((each) => each === text)
  if (ci) return ci
  throw new UsageError(
    `"${text}" is no CI that a workflow can be written for: ${ciNames.join(', ')}`,
  )
}
