// What the demonstration does where the interface is silent, as its flags say.

import { UsageError } from '../../cli/usage-error.ts'
import { type Policy, policies } from '../rules/policies.ts'

interface Unsaid {
  readonly question: string
  readonly choices: readonly string[]
}

const unsaid: Readonly<Record<string, Unsaid>> = policies

/** @param given `downgrade=suspend` */
export const policyOf = (given: readonly string[]): Partial<Policy> =>
  Object.fromEntries(
    given.map((text) => {
      const [key = '', choice = ''] = text.split('=')
      const own = Object.hasOwn(unsaid, key) ? unsaid[key] : undefined
      if (own?.choices.includes(choice)) return [key, choice]
      const choices = own?.choices.map((each) => `${key}=${each}`) ?? Object.keys(unsaid)
      throw new UsageError(`--policy takes ${choices.join(', ')}, not "${text}"`)
    }),
  )

export const tellPolicies = (): number => {
  const lines = Object.entries(unsaid).map(
    ([key, { question, choices }]) => `${key}=${choices.join('|')}\n  ${question}\n`,
  )
  process.stdout.write(lines.join(''))
  return 0
}
