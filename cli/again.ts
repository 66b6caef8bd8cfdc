// A command as it was given, for its run file: it can be held again, and no key stands in it.

import type { Again } from '../engine/run-file.ts'
import { variableOfKey } from '../load/export-k6.ts'
import { splitKey, variableOf } from './keys.ts'

/** What becomes of a run is left out, and what another run has to have of its own. */
const leftOut = [
  ...['out', 'report', 'known', 'update-known', 'strict', 'verbose', 'quiet', 'json', 'bail'],
  ...['seed', 'resume', 'watch', 'facts-out', 'config'],
]

/** These are on, unless `--no-` stands before them. */
const usuallyOn = ['mock', 'reference', 'proxy']

/** The variable of the first key whose text was given: the same as that of a request. */
const firstVariable = 'PETVET_KEY'

/**
 * @param command `check`, `load`, `domains check`
 * @param given the flags as they were parsed
 * @param config the configuration file that was read, as the command can name it; null: none
 */
export const againOf = (command: string, given: object, config: string | null): Again => {
  // The parser gives each flag in camel case as well.
  const flags = Object.entries<unknown>({ ...given }).filter(
    ([name, value]) => /^[a-z][a-z\d-]*$/.test(name) && value !== undefined,
  )
  const address = flags.filter(([name]) => name === 'base-url').map(([, value]) => [String(value)])
  const own = flags
    .filter(([name]) => name !== 'base-url' && !leftOut.includes(name))
    .toSorted(([a], [b]) => Number(b === 'key') - Number(a === 'key'))
  const named = config === null ? noConfig(given) : [['--config', config]]
  return { command, words: [...address, ...named, ...own.flatMap(wordsOf)] }
}

const noConfig = (given: object): string[][] =>
  'config' in given && given.config === false ? [['--no-config']] : []

const wordsOf = ([name, value]: [string, unknown]): string[][] => {
  if (name === 'key') return keyWords((value as readonly string[]).map(String))
  if (value === true) return usuallyOn.includes(name) ? [] : [[`--${name}`]]
  if (value === false) return [[`--no-${name}`]]
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  return values.map((each) => [`--${name}`, String(each)])
}

/** A key that was read from a variable is read from it again; a text is never told. */
const keyWords = (texts: readonly string[]): string[][] => {
  const met = new Map<string, number>()
  let isFirst = true
  return texts.map((text) => {
    const { plan, key } = splitKey(text, '--key')
    const position = (met.get(plan) ?? 0) + 1
    met.set(plan, position)
    const given = variableOf(key)
    const variable = given ?? (isFirst ? firstVariable : variableOfKey(`${plan}-${position}`))
    if (given === undefined) isFirst = false
    return ['--key', `${plan}=$${variable}`]
  })
}
