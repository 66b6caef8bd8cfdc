// The command that runs a check of a run again, to be pasted into a shell.

import { isDeepStrictEqual } from 'node:util'
import {
  type CheckResult,
  type Finding,
  isDomainsRun,
  type RunCommand,
  type RunFile,
} from '../engine/check/run-file.ts'
import { inventedVariable } from '../engine/http/spellings.ts'
import { smokeId } from '../engine/run/smoke.ts'
import { controlId } from '../history/exchange.ts'
import { isViolation } from '../history/outcome.ts'
import { hasSeed } from './summary.ts'

/** A run file without its command line: the target is all that is known. */
const commandOf = ({ command, target }: RunFile): RunCommand =>
  command ?? { name: 'check', arguments: [[target.baseUrl]] }

const seedOf = (run: RunFile) => (hasSeed(run) ? [['--seed', String(run.seed)]] : [])

/** With the same seed: of a load run its scenario, of the suites the check alone or all. */
export const reproduceCheck = (run: RunFile, check: CheckResult): string => {
  const { name: command, arguments: words } = commandOf(run)
  if (isDomainsRun(run)) return line(command, words)
  if (command !== 'load' && needsWholeRun(run, check)) return reproduceRun(run)
  const chosen = command === 'load' ? scenarioOf(run, check) : [['--only', check.id]]
  const replaced = new Set(chosen.map(([name]) => name))
  if (command !== 'load') replaced.add('--skip')
  const kept = words.filter(([name]) => !replaced.has(name))
  return line(command, [...kept, ...chosen, ...seedOf(run)])
}

/** The whole run, as it was requested. */
export const reproduceRun = (run: RunFile): string => {
  const { name: command, arguments: words } = commandOf(run)
  return line(command, [...words, ...seedOf(run)])
}

/** An interrupted run of the suites resumes from its folder; any other starts anew. */
export const resumeRun = (run: RunFile, folder: string): string =>
  run.interrupted && run.command?.name === 'check'
    ? resumeCommand(run.command, folder)
    : reproduceRun(run)

/** @param given the command of a run at a target of its own; null: unknown */
export const resumeCommand = (given: RunCommand | null | undefined, folder: string): string => {
  const command: RunCommand = given ?? { name: 'check', arguments: [] }
  const kept = command.arguments.filter(([flag]) => flag !== '--only' && flag !== '--skip')
  return line(command.name, [...kept, ['--resume', folder]])
}

/** Whether both are one failure: of a status, where both responses refused the same peculiarity. */
const isSame = (one: Finding, other: Finding): boolean =>
  one.aspect === other.aspect &&
  one.name === other.name &&
  one.kind === other.kind &&
  one.status === other.status &&
  (one.aspect !== 'status' || one.conditions.length > 0) &&
  isDeepStrictEqual(one.conditions, other.conditions) &&
  one.operations.some((operation) => other.operations.includes(operation))

/** Whether a finding was made only after what may have caused it. */
const isOfHistory = (finding: Finding, { checks }: RunFile): boolean =>
  finding.dependsOnHistory === true &&
  !checks.some(({ findings = [] }) =>
    findings.some((each) => each.dependsOnHistory !== true && isSame(each, finding)),
  )

/** Whether what was sent before made the difference, as far as the evidence shows. */
export const needsHistory = (run: RunFile, { id, findings = [], evidence }: CheckResult) => {
  const hasCreated = evidence.some(({ check, request }) => {
    return check === id && request.method === 'POST'
  })
  const isOfPets = ({ aspect, kind, operations }: Finding): boolean =>
    kind === 'a pet is missing' ||
    kind === 'too few' ||
    (aspect === 'member' && operations.every((each) => each.startsWith('GET')) && !hasCreated)
  // What happened to a pet that a check creates itself happens where it is sent alone.
  const isOfOwn = ({ aspect, conditions }: Finding): boolean =>
    hasCreated && aspect === 'status' && conditions.length > 0
  return findings.some(
    (finding) => (isOfHistory(finding, run) && !isOfOwn(finding)) || isOfPets(finding),
  )
}

/** A single response of another check is one that both judge: alone, a check sends its own. */
const dependsOnOthers = ({ id, evidence }: CheckResult): boolean =>
  evidence.length > 1 && evidence.some(({ check = id }) => check !== id && check !== controlId)

/** A clause sends nothing: only the whole run is sure to violate it again. */
const needsWholeRun = (run: RunFile, check: CheckResult): boolean =>
  check.id !== smokeId &&
  (check.durationMs === undefined || needsHistory(run, check) || dependsOnOthers(check))

/** `load-burst-not-more` and `load-threshold-burst-p99` belong to the scenario `burst`. */
const scenarioOf = ({ load = [] }: RunFile, { id, evidence }: CheckResult): string[][] => {
  const ids = load.map((each) => each.id)
  const named = ids.find((each) =>
    [`load-${each}-`, `load-threshold-${each}-`].some((start) => id.startsWith(start)),
  )
  const cause = evidence.at(-1)?.check
  const scenario = named ?? ids.find((each) => each === cause)
  return scenario === undefined ? [] : [['--scenario', scenario]]
}

const line = (command: string, words: RunCommand['arguments']): string =>
  ['petvet', command, ...words.flat().map(shellQuoted)].join(' ')

const plainWord = /^[\w:/.,@%+=-]+$/

/** A word as a shell takes it literally; petvet itself expands the variable of a key. */
export const shellQuoted = (word: string): string =>
  plainWord.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** The variables without a value that the commands of a report read, each with its plan. */
const inventedVariables = (run: RunFile): Map<string, string> => {
  const words = commandOf(run).arguments.flat()
  const shown = run.checks.flatMap(({ outcome, evidence }) =>
    isViolation(outcome) ? evidence.slice(-1) : [],
  )
  const lines = [
    ...words.map((word) => [word, /^\w+(?==\$)/.exec(word)?.[0]] as const),
    ...shown.map(({ curl, key }) => [curl, key?.replace(/-\d+$/, '')] as const),
  ]
  const plans = new Map<string, string>()
  for (const [text, plan = run.target.plans[0] ?? 'free'] of lines) {
    for (const [variable] of text.matchAll(inventedVariable)) {
      if (!plans.has(variable)) plans.set(variable, plan)
    }
  }
  return plans
}

/** What to do before a line can be pasted, code in backticks; empty: nothing. */
export const beforePasting = (run: RunFile): string => {
  const { name: command, arguments: words } = commandOf(run)
  // The built-in reference is gone after the run, and domains have no keys.
  if (words.length === 0 || command === 'demo' || isDomainsRun(run)) return ''
  const steps = [...inventedVariables(run)]
    .map(([variable, plan]) => `\`export ${variable}='your key of the plan ${plan}'\``)
    .join(' and ')
  // A run ends with the checks of the removal, and no clock can be moved back.
  const isPastRemoval =
    run.target.clock &&
    run.checks.some(({ requirement, requests }) => requirement === 'get.removed' && requests > 0)
  const clock =
    'Before you repeat the run: restart the server, as its clock is past the removal date'
  return [
    ...(steps === '' ? [] : [`Before you paste a line: ${steps}`]),
    ...(isPastRemoval ? [clock] : []),
  ].join('. ')
}
