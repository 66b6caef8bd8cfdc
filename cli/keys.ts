// API keys as they are given: PLAN=KEY, where a KEY of $NAME stands in the environment.

import type { KeyOption } from '../engine/run-options.ts'
import { type Plan, plans } from '../spec/plans.ts'
import { planOf } from './plan-name.ts'
import { UsageError } from './usage-error.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** A key of the configuration file, or one that a flag gave. */
export interface GivenKey {
  readonly plan: string
  readonly key: string
  readonly perMinute?: number | undefined
  readonly perDay?: number | undefined
  readonly use?: 'ban' | undefined
}

/** `free=secret`; what is wrong is told without the key. */
export const splitKey = (text: string, flag: string): GivenKey => {
  const [, plan = '', key = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? []
  if (plan !== '' && key !== '') return { plan, key }
  throw new UsageError(`${flag} takes PLAN=KEY, such as free=$FREE_KEY`)
}

/** The variable that a text names: `$NAME` or `${NAME}`. */
export const variableOf = (text: string): string | undefined => {
  const name = /^\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))$/.exec(text)
  return name?.[1] ?? name?.[2]
}

export const readSecret = (place: string, text: string, environment: Environment): string => {
  const variable = variableOf(text)
  if (variable === undefined) return text
  const value = environment[variable]
  if (value) return value
  throw new UsageError(
    isNameLike(variable)
      ? `${place} reads $${variable}, which is not set: export it first`
      : `${place} begins with a $, and names no variable that is set: export it first`,
  )
}

/** Words in one letter case, and short numbers: what else stands behind a $ may be the key. */
const isNameLike = (name: string): boolean =>
  /^[a-z]+\d{0,2}(?:_(?:[a-z]+\d{0,2}|\d{1,2}))*$/i.test(name) &&
  [name.toUpperCase(), name.toLowerCase()].includes(name)

/** A shorter one cannot be cut or split, and taking it out of a report takes out all else. */
const leastLength = 4
/** A longer one leaves too little room for the other headers of a request. */
const mostLength = 4096

const withPlan = 'a key has its plan before an =, as in free=$FREE_KEY'

const keyOption = (given: GivenKey, environment: Environment): KeyOption => {
  const plan = planOf(given.plan, withPlan)
  const key = readSecret(`the ${plan} key`, given.key, environment)
  // What a header can carry as one word; anything else could not be sent as it stands.
  if (!/^[\x21-\x7e]*$/.test(key)) {
    throw new UsageError(`the ${plan} key has characters that no bearer token has`)
  }
  if (key.length < leastLength) {
    throw new UsageError(`the ${plan} key is shorter than ${leastLength} characters`)
  }
  if (key.length > mostLength) {
    throw new UsageError(`the ${plan} key is longer than ${mostLength} characters`)
  }
  const use = given.use === undefined ? {} : { use: given.use }
  return { plan, key, quota: quotaOf(plan, given), ...use }
}

const quotaOf = (plan: Plan, { perMinute, perDay }: GivenKey): KeyOption['quota'] => {
  if (plan !== 'enterprise') {
    if (perMinute === undefined && perDay === undefined) return plans[plan]
    throw new UsageError(`perMinute and perDay are for enterprise keys; a ${plan} key has its own`)
  }
  if (perMinute !== undefined && perDay !== undefined) return { perMinute, perDay }
  throw new UsageError(
    'an enterprise key needs its perMinute and perDay, which only the configuration file can give',
  )
}

export const keyOptions = (
  all: readonly GivenKey[],
  environment: Environment,
): readonly KeyOption[] => {
  const options = all.map((given) => keyOption(given, environment))
  if (options.filter(({ use }) => use === 'ban').length > 1) {
    throw new UsageError('use: ban is for one key; more than one has it')
  }
  if (new Set(options.map(({ key }) => key)).size === options.length) return options
  throw new UsageError('the same key is given twice')
}
