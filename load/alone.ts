// Whether a key is ours alone, by what its own answers announced: nobody took a number in between.
import type { Quota } from '../spec/plans.ts'
import type { Answered } from '../suites/kit/exchange.ts'
import { minuteSaid } from '../suites/kit/quota/key-minute.ts'

/** @param served answers to a rested key, one after the other, from its first on */
export const isQuiet = (served: readonly Answered[], quota: Quota): boolean => {
  const numbers = served.map((answer) => minuteSaid(answer, quota)?.remaining)
  const [first] = numbers
  if (first === undefined || first < quota.perMinute - 1) return false
  return numbers.every((number, at) => {
    const before = numbers[at - 1]
    return number !== undefined && (before === undefined || before - number <= 1)
  })
}
