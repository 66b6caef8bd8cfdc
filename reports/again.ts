// The command that asks again what a check of a run asked, to be pasted into a shell.

import type { Again, CheckResult, RunFile } from '../engine/run-file.ts'
import { requirement } from '../spec/requirements.ts'

/** Where a run does not tell how it was held, its target is all that is known. */
const bare = (run: RunFile): Again => {
  const { baseUrl, plans } = run.target
  if (isOfDomains(run)) return { command: 'domains check', words: [] }
  const keys = plans.map((plan, at) => {
    const variable = at === 0 ? 'PETVET_KEY' : `PETVET_KEY_${plan.toUpperCase()}_1`
    return ['--key', `${plan}=$${variable}`]
  })
  return { command: run.load ? 'load' : 'check', words: [[baseUrl], ...keys] }
}

/** Whether a run looked at domains: it has no key, no clock and no seed. */
export const isOfDomains = ({ again, checks }: RunFile): boolean =>
  again === undefined
    ? checks.some(({ requirement: id }) => requirement(id)?.shows !== undefined)
    : again.command.startsWith('domains')

/** Of a load its scenario is held again, of the suites the check or all, with the same seed. */
export const againOf = (run: RunFile, check: CheckResult): string => {
  const { command, words } = run.again ?? bare(run)
  if (isOfDomains(run)) return line(command, words)
  if (command !== 'load' && needsWholeRun(check)) return wholeAgain(run)
  const chosen = command === 'load' ? scenarioOf(run, check) : [['--only', nameOf(check)]]
  const names = new Set(chosen.map(([name]) => name))
  if (command !== 'load') names.add('--skip')
  const kept = words.filter(([name]) => !names.has(name))
  return line(command, [...kept, ...chosen, ['--seed', String(run.seed)]])
}

/** The whole run again, as it was asked for. */
export const wholeAgain = (run: RunFile): string => {
  const { command, words } = run.again ?? bare(run)
  const seed = isOfDomains(run) ? [] : [['--seed', String(run.seed)]]
  return line(command, [...words, ...seed])
}

/** An interrupted run of the suites goes on where it was; of any other all is asked anew. */
export const goOn = (run: RunFile, folder: string): string => {
  const { command, words } = run.again ?? bare(run)
  const isBuiltIn = run.again?.words.every(([word = '']) => word.startsWith('-')) ?? true
  if (!run.interrupted || command !== 'check' || isBuiltIn) return wholeAgain(run)
  const given = words.filter(([name]) => name !== '--only' && name !== '--skip')
  return line(command, [...given, ['--resume', folder]])
}

const isSmoke = ({ id }: CheckResult): boolean => id.startsWith('smoke-')

/** An invariant sends nothing: only the whole run is known to violate it again. */
const needsWholeRun = (check: CheckResult): boolean =>
  check.durationMs === undefined && !isSmoke(check)

/** The smoke call comes before every run, and is in no catalogue. */
const nameOf = (check: CheckResult): string => (isSmoke(check) ? check.requirement : check.id)

/** `load-burst-not-more` is of the scenario `burst`, and so is `load-threshold-burst-p99`. */
const scenarioOf = ({ load = [] }: RunFile, { id, evidence }: CheckResult): string[][] => {
  const ids = load.map((each) => each.id)
  const named = ids.find((each) =>
    [`load-${each}-`, `load-threshold-${each}-`].some((start) => id.startsWith(start)),
  )
  const cause = evidence.at(-1)?.check
  const scenario = named ?? ids.find((each) => each === cause)
  return scenario === undefined ? [] : [['--scenario', scenario]]
}

const line = (command: string, words: Again['words']): string =>
  ['petvet', command, ...words.flat().map(quoted)].join(' ')

const plainWord = /^[\w:/.,@%+=-]+$/

/** A word as a shell takes it literally; petvet itself reads the variable of a key. */
export const quoted = (word: string): string =>
  plainWord.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** What has to be set before a line can be pasted, code in backticks; empty: nothing. */
export const tellVariables = (run: RunFile): string => {
  const { words } = run.again ?? bare(run)
  // The built-in reference is gone, and domains have no keys.
  if (words.length === 0 || isOfDomains(run)) return ''
  const named = words.flatMap(([name, value = '']) => {
    const [, plan, variable] = /^(\w+)=\$(\w+)$/.exec(value) ?? []
    return name === '--key' && plan && variable ? [{ plan, variable }] : []
  })
  const [first] = named
  const made = named.filter(({ variable }) => variable.startsWith('PETVET_KEY'))
  // A request reads PETVET_KEY, whatever a key is called.
  const isNamed = first !== undefined && made.every(({ variable }) => variable !== 'PETVET_KEY')
  const request = isNamed ? `To paste a request: \`export PETVET_KEY="$${first.variable}"\`` : ''
  const plan = run.target.plans[0] ?? 'free'
  const toSet = isNamed || made.length > 0 ? made : [{ plan, variable: 'PETVET_KEY' }]
  const listed = toSet.map((each) => `\`${each.variable}\` (a ${each.plan} key)`).join(', ')
  return [request, listed === '' ? '' : `To paste these lines, export ${listed}`]
    .filter((text) => text !== '')
    .join('; ')
}
