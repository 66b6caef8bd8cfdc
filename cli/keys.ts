// API keys as they are given: PLAN=KEY, where a KEY of $NAME stands in the environment.
import { type Plan, planNames, plans } from '../spec/plans.ts'
import type { KeyOption } from '../suites/kit/run-options.ts'
import { nearest } from './nearest.ts'
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
  const name = /^\$(?:\{(\w+)\}|(\w+))$/.exec(text)
  return name?.[1] ?? name?.[2]
}

export const readSecret = (place: string, text: string, environment: Environment): string => {
  const variable = variableOf(text)
  if (variable === undefined) return text
  const value = environment[variable]
  if (value) return value
  throw new UsageError(`${place} reads $${variable}, which is not set: export it first`)
}

/** A shorter one cannot be cut or split, and taking it out of a report takes out all else. */
const leastLength = 4

const keyOption = (given: GivenKey, environment: Environment): KeyOption => {
  const plan = planOf(given.plan)
  const key = readSecret(`the ${plan} key`, given.key, environment)
  // What a header can carry as one word; anything else could not be sent as it stands.
  if (!/^[\x21-\x7e]{1,4096}$/.test(key)) {
    throw new UsageError(`the ${plan} key has characters that no bearer token has`)
  }
  if (key.length < leastLength) {
    throw new UsageError(`the ${plan} key is shorter than ${leastLength} characters`)
  }
  const use = given.use === undefined ? {} : { use: given.use }
  return { plan, key, quota: quotaOf(plan, given), ...use }
}

const planOf = (name: string): Plan => {
  const plan = planNames.find((each) => each === name)
  if (plan) return plan
  const meant = nearest(name, planNames)
  const hint = meant ? `; did you mean ${meant}?` : ''
  throw new UsageError(`"${name}" is no plan: the plans are ${planNames.join(', ')}${hint}`)
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
