// A command as it was given, for the run file and `--resume`: keys are named, never written.
import type { RunCommand } from '../engine/check/run-file.ts'
import { labelKeys } from '../engine/run/run-options.ts'
import { splitKey, variableName } from './given-keys.ts'

/** Flags about the output of a run, and those that a repeated run needs anew. */
const leftOut = [
  ...['out', 'report', 'known', 'update-known', 'strict', 'verbose', 'quiet', 'json', 'bail'],
  ...['seed', 'resume', 'watch', 'config', 'events'],
]

/** On by default; `--no-` switches them off. */
const onByDefault = ['mock', 'reference', 'proxy', 'wait']

/**
 * @param name `check`, `load`, `domains check`
 * @param given the flags as parsed
 * @param config the configuration file as the command can name it; null: none
 */
export const commandGiven = (name: string, given: object, config: string | null): RunCommand => {
  // The parser gives each flag in camel case as well.
  const flags = Object.entries<unknown>({ ...given }).filter(
    ([name, value]) => /^[a-z][a-z\d-]*$/.test(name) && value !== undefined,
  )
  const address = flags.filter(([name]) => name === 'base-url').map(([, value]) => [String(value)])
  const own = flags
    .filter(([name]) => name !== 'base-url' && !leftOut.includes(name))
    .toSorted(([a], [b]) => Number(b === 'key') - Number(a === 'key'))
  const named = config === null ? noConfig(given) : [['--config', config]]
  return { name, arguments: [...address, ...named, ...own.flatMap(wordsOf)] }
}

const noConfig = (given: object): string[][] =>
  'config' in given && given.config === false ? [['--no-config']] : []

const wordsOf = ([name, value]: [string, unknown]): string[][] => {
  if (name === 'key') return keyWords((value as readonly string[]).map(String))
  if (value === true) return onByDefault.includes(name) ? [] : [[`--${name}`]]
  if (value === false) return [[`--no-${name}`]]
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  return values.map((each) => [`--${name}`, String(each)])
}

const keyWords = (texts: readonly string[]): string[][] => {
  const given = texts.map((text) => splitKey(text, '--key'))
  return labelKeys(given.map(({ plan, key }) => ({ plan, variable: variableName(key) }))).map(
    ({ plan, variable }) => ['--key', `${plan}=$${variable}`],
  )
}
