// Properties: one claim over generated values, run by fast-check.
import fc from 'fast-check'
import type { Context } from './context.ts'
import { type Check, check, type Needs } from './declare.ts'
import { short } from './expect.ts'
import { type Json, printJson } from './json.ts'
import { Violation } from './outcome.ts'

interface PropertyNeeds extends Needs {
  /** Generated values per run, examples included. */
  readonly runs: number
  /** Values that come first in every run. */
  readonly examples?: readonly unknown[]
  /** Further values that may be sent to shrink a failing one. */
  readonly shrinks: number
}

interface Declared<T> extends Omit<Parameters<typeof check>[0], 'needs' | 'run'> {
  readonly needs: PropertyNeeds
  readonly arbitrary: fc.Arbitrary<T>
  /** The parameter or member that has the generated value; without it the value is the body. */
  readonly named?: string
  readonly run: (context: Context, value: T) => Promise<void>
}

/**
 * One claim over `needs.runs` generated values. They follow from the seed of the check; a failing
 * value is shrunk with at most `needs.shrinks` further values.
 */
export const property = <T>({ arbitrary, named, run, ...declared }: Declared<T>): Check => {
  const { needs } = declared
  const runAll = async (context: Context) => {
    let left = needs.runs + needs.shrinks
    let failed: Violation | undefined
    const runValue = async (value: T) => {
      left -= 1
      if (left < 0) return
      try {
        await run(context, value)
      } catch (error) {
        if (error instanceof Violation) failed = error
        // Only another violation shrinks a value: one that is blocked says nothing.
        else if (failed) return
        // Nothing was violated, so there is nothing to shrink.
        else left = 0
        throw error
      }
    }
    const details = await fc.check(fc.asyncProperty(arbitrary, runValue), {
      seed: context.seed,
      numRuns: needs.runs,
      examples: (needs.examples ?? []).map((example) => [example as T]),
    })
    if (!details.failed) return
    const cause = details.errorInstance
    if (!(cause instanceof Violation)) throw cause
    const value = smallest(details.counterexample?.[0] as Json, cause)
    const input = named === undefined ? value : `${named} ${value}`
    const actual = `${cause.actual} (minimal failing input: ${input})`
    throw new Violation(cause.expected, actual, cause.evidence, cause.wrong)
  }
  return check({ ...declared, run: runAll })
}

/** A value with parts is reported as the body that was made of it. */
const smallest = (value: Json, { evidence }: Violation): string => {
  if (typeof value !== 'object' || value === null) return printJson(value)
  const sent = evidence.map(({ request }) => request.body).findLast((body) => body !== null)
  return short(sent ?? printJson(value))
}
