// The name of a plan as it is typed.
import { type Plan, planNames } from '../spec/plans.ts'
import { nearest } from './nearest.ts'
import { UsageError } from './usage-error.ts'

/**
 * @param form what to say of a word that is far from any plan: it may be the key itself, and is not
 *   repeated
 * @throws UsageError
 */
export const planOf = (word: string, form: string): Plan => {
  const plan = planNames.find((each) => each === word)
  if (plan) return plan
  // With its key behind it the longest name is near enough.
  const meant = word.includes('=') ? undefined : nearest(word, planNames)
  const plans = `the plans are ${planNames.join(', ')}`
  throw new UsageError(
    meant ? `"${word}" is no plan: ${plans}; did you mean ${meant}?` : `${form}; ${plans}`,
  )
}
