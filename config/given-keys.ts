// API keys and further headers; a value of $NAME is read from the environment. And a command as it
// was given, for the run file: keys are named there, never written.

import type { RunCommand } from '../engine/check/run-file.ts'
import type { KeyOption } from '../engine/check/spendable-keys.ts'
import { labelKeys, type RunOptions } from '../engine/run/run-options.ts'
import { type Plan, plans } from '../spec/plans.ts'
import { readPlan, UsageError } from './values.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** A key of the configuration file, or one that a flag gave. */
export interface GivenKey {
  readonly plan: string
  readonly key: string
  readonly perMinute?: number | undefined
  readonly perDay?: number | undefined
  readonly use?: 'ban' | undefined
}

/** `free=secret`; a message about it never repeats the key. */
export const splitKey = (text: string, flag: string): GivenKey => {
  const [, plan = '', key = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? []
  if (plan !== '' && key !== '') return { plan, key }
  throw new UsageError(`${flag} takes PLAN=KEY, such as free=$FREE_KEY`)
}

/** The variable that a text names: `$NAME` or `${NAME}`. */
export const variableName = (text: string): string | undefined => {
  const name = /^\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))$/.exec(text)
  return name?.[1] ?? name?.[2]
}

const references = /\$(?:\$|\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*)|(?=\{))/g

/**
 * A value with each `$NAME` and `${NAME}` in it read from the environment, and `$$` as a dollar
 * sign; and the variables that were read. @param place that messages name; they repeat no value
 */
const expand = (place: string, text: string, environment: Environment) => {
  const variables: { readonly name: string; readonly text: string }[] = []
  const value = text.replace(references, (found, inBraces?: string, plain?: string) => {
    if (found === '$$') return '$'
    const name = inBraces ?? plain ?? ''
    const read = environment[name]
    if (!read) throw new UsageError(unreadable(place, name, read))
    variables.push({ name, text: read })
    return read
  })
  return { value, variables }
}

export const expanded = (place: string, text: string, environment: Environment): string =>
  expand(place, text, environment).value

const unreadable = (place: string, name: string, read: string | undefined): string => {
  if (read === '') return `${place} reads $${name}, which is empty`
  return looksLikeName(name)
    ? `${place} reads $${name}, which is not set: export it first`
    : `${place} has a $ before what is no variable that is set: export it, or write $$ for a $`
}

/** Words in one letter case, and short numbers: anything else after a $ may be the key itself. */
const looksLikeName = (name: string): boolean =>
  /^[a-z]+\d{0,2}(?:_(?:[a-z]+\d{0,2}|\d{1,2}))*$/i.test(name) &&
  [name.toUpperCase(), name.toLowerCase()].includes(name)

/** Redacting a shorter text would redact everything else in a report too. */
export const minSecretLength = 4
/** A longer key leaves too little room for the other headers of a request. */
const maxKeyLength = 4096

export const keyOptions = (
  given: readonly GivenKey[],
  environment: Environment,
): readonly KeyOption[] => {
  const options = given.map((each) => keyOption(each, environment))
  if (options.filter(({ use }) => use === 'ban').length > 1) {
    throw new UsageError('use: ban is for one key; more than one has it')
  }
  if (new Set(options.map(({ key }) => key)).size === options.length) return options
  throw new UsageError('the same key is given twice')
}

const lineBreak = [/[\r\n]$/, 'ends with a line break: remove it'] as const

const keyFaults: readonly (readonly [RegExp, string])[] = [
  lineBreak,
  // The characters that a header carries as one word, unchanged.
  [/[^\x21-\x7e]/, 'has characters that no bearer token has'],
  [RegExp(`^.{0,${minSecretLength - 1}}$`), `is shorter than ${minSecretLength} characters`],
  [RegExp(`^.{${maxKeyLength + 1},}$`), `is longer than ${maxKeyLength} characters`],
]

const headerFaults: typeof keyFaults = [
  lineBreak,
  [/[^\t\x20-\x7e]/, 'has characters that cannot be sent in a header'],
]

const keyOption = (given: GivenKey, environment: Environment): KeyOption => {
  const plan = readPlan(given.plan, 'a key has its plan before an =, as in free=$FREE_KEY')
  const key = expanded(`the ${plan} key`, given.key, environment)
  const fault = keyFaults.find(([pattern]) => pattern.test(key))?.[1]
  if (fault !== undefined) throw new UsageError(`the ${plan} key ${fault}`)
  const use = given.use === undefined ? {} : { use: given.use }
  return { plan, key, quota: quotaOf(plan, given), variable: variableName(given.key), ...use }
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

/** These belong to each request by itself, to its connection or to its proxy. */
const ownHeaders = [
  ...['authorization', 'host', 'content-type', 'content-length', 'expect', 'transfer-encoding'],
  ...['connection', 'keep-alive', 'te', 'trailer', 'upgrade', 'http2-settings'],
  ...['proxy-authorization', 'proxy-connection'],
]

const minPlainSecretLength = 8

/** Whether a value can be redacted: a report is full of words as `true`, and of numbers. */
const isHideable = (value: string): boolean =>
  value.length >= (/^(?:[a-z]+|\d+)$/i.test(value) ? minPlainSecretLength : minSecretLength)

/** The headers, and what of their values is read from the environment: reports do not have it. */
export const readHeaders = (
  given: Readonly<Record<string, string>>,
  environment: Environment,
): Pick<RunOptions, 'headers' | 'secrets'> => {
  const secrets: RunOptions['secrets'][number][] = []
  const headers = Object.entries(given).map(([name, text]): [string, string] => {
    // An invalid name may be a whole header with its value, and is not repeated.
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
      throw new UsageError('headers has a member that is no valid header name')
    }
    if (ownHeaders.includes(name.toLowerCase())) {
      throw new UsageError(`petvet sets the header ${name} itself: remove it from headers`)
    }
    const { value, variables } = expand(`the header ${name}`, text, environment)
    secrets.push(...variables.filter((each) => isHideable(each.text)))
    const fault = headerFaults.find(([pattern]) => pattern.test(value))?.[1]
    if (fault === undefined) return [name, value]
    throw new UsageError(`the header ${name} ${fault}`)
  })
  return { headers, secrets }
}

/** Flags about the output of a run, and those that a repeated run needs anew. */
const leftOut = [
  ...['out', 'report', 'known', 'strict', 'verbose', 'quiet', 'json', 'bail'],
  ...['seed', 'resume', 'watch', 'config'],
]

/** Given without a flag. */
const positional = ['base-url', 'files']

/** On by default; `--no-` switches them off. */
const onByDefault = ['mock', 'reference', 'proxy', 'wait']

/**
 * @param name `check`, `load`, `domains check`
 * @param given the flags as parsed
 * @param config the configuration file as the command can name it; null: none
 */
export const commandGiven = (name: string, given: object, config: string | null): RunCommand => {
  const flags = Object.entries<unknown>({ ...given }).filter(
    // The parser has `_` and `$0` besides.
    ([name, value]) => /^[a-z]/.test(name) && value !== undefined,
  )
  const places = flags
    .filter(([name]) => positional.includes(name))
    .flatMap(([, value]) => [value].flat().map((each) => [String(each)]))
  const own = flags
    .filter(([name]) => !positional.includes(name) && !leftOut.includes(name))
    .toSorted(([a], [b]) => Number(b === 'key') - Number(a === 'key'))
  const none = flags.filter(([name, value]) => name === 'config' && value === false)
  const named = config === null ? none.map(() => ['--no-config']) : [['--config', config]]
  return { name, arguments: [...places, ...named, ...own.flatMap(wordsOf)] }
}

const wordsOf = ([name, value]: [string, unknown]): string[][] => {
  if (name === 'key') {
    const given = (value as readonly string[]).map((text) => splitKey(`${text}`, '--key'))
    const named = given.map(({ plan, key }) => ({ plan, variable: variableName(key) }))
    return labelKeys(named).map(({ plan, variable }) => ['--key', `${plan}=$${variable}`])
  }
  if (value === true) return onByDefault.includes(name) ? [] : [[`--${name}`]]
  if (value === false) return [[`--no-${name}`]]
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  return values.map((each) => [`--${name}`, String(each)])
}
