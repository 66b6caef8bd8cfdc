// What a project's start is made of: from the flags, and asked for at a terminal.
import { type Plan, planNames } from '../../spec/plans.ts'
import { readAddress, readBaseUrl } from '../addresses.ts'
import { type CiName, ciNames } from '../ci-names.ts'
import { nearest } from '../nearest.ts'
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

/** @param ask null where nobody is there to answer: then the usual answers stand */
export const readAnswers = async (flags: InitFlags, ask: Ask | null): Promise<Answers> => {
  const answer = async (given: string | undefined, question: string, usual: string) =>
    given ?? (ask ? (await ask(question, usual)).trim() || usual : usual)
  const target = await answer(flags['base-url'], 'Base address of the API', usualTarget)
  const base = readBaseUrl('the base-url', target)
  const plans = await answer(flags.plan?.join(','), 'Plans of your keys, one for each', 'free')
  const clock = await answer(flags.clock, 'Address of its test clock, if it has one', '')
  const ci = await answer(flags.ci, `Workflow for CI (${ciNames.join(', ')})`, 'none')
  return {
    target: base.href.replace(/\/$/, ''),
    plans: readPlans(plans),
    clock: clock === '' ? null : readAddress('the clock', clock).href,
    ci: readCi(ci),
  }
}

const readPlans = (text: string): readonly Plan[] => {
  const plans = text.split(/[\s,]+/).filter((name) => name !== '')
  if (plans.length === 0 || plans.length > mostKeys) {
    throw new UsageError(`name from 1 to ${mostKeys} plans, one for each key`)
  }
  return plans.map((name) => {
    const plan = planNames.find((each) => each === name)
    if (plan) return plan
    const meant = nearest(name, planNames)
    const hint = meant ? `; did you mean ${meant}?` : ''
    throw new UsageError(`"${name}" is no plan: the plans are ${planNames.join(', ')}${hint}`)
  })
}

const readCi = (text: string): CiName => {
  const ci = ciNames.find((each) => each === text)
  if (ci) return ci
  throw new UsageError(
    `"${text}" is no CI that a workflow can be written for: ${ciNames.join(', ')}`,
  )
}
