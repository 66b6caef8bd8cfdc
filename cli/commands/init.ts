// `petvet init`: a configuration file and a CI workflow to start from.
import { existsSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { defaultNames } from '../../config/config-file.ts'
import { orRefuse, UsageError } from '../../config/usage-error.ts'
import { readAddress, readBaseUrl, readPlan } from '../../config/values.ts'
import { makeFolder, writeWhole } from '../../reports/run-folder.ts'
import type { Plan } from '../../spec/plans.ts'
import { argument, command, type Given, text, texts, toggle } from '../command.ts'
import { say } from '../output/progress.ts'
import { interruptedCode } from '../run/interrupt.ts'
import {
  type Answers,
  ciNames,
  formatInitFiles,
  type InitFile,
  listVariables,
} from './init/texts.ts'

const flags = {
  'base-url': argument('address of the API, version prefix included'),
  plan: texts('plan of a key, repeatable: twice for two keys of it [default: free]'),
  clock: text("address of the target's test clock"),
  ci: {
    choices: ciNames,
    requiresArg: true,
    describe: 'CI service to write a workflow for [default: none]',
  },
  force: toggle('overwrite existing files'),
} as const

type InitFlags = Readonly<Partial<Given<typeof flags>>>

export const init = command(flags, async (given) => {
  const answers = await answersOf(given)
  if (answers === null) {
    process.stderr.write('\npetvet: nothing was written\n')
    return interruptedCode
  }
  const { target } = answers
  if (!new URL(target).pathname.endsWith('/v1')) {
    const what = `${target} does not end in /v1, as base URLs of the interface do`
    say(`${what}: is it the right one?`)
  }
  writeAll(formatInitFiles(answers), given.force ?? false)
  printNext(answers)
  return 0
})

/** @returns null where the prompts were cancelled: by Ctrl-C, or the end of the input */
const answersOf = async (given: InitFlags): Promise<Answers | null> => {
  // Where nobody can answer the defaults are used.
  if (!process.stdin.isTTY || !process.stderr.isTTY) return readAnswers(given, null)
  const prompts = createInterface({ input: process.stdin, output: process.stderr })
  const closed = new AbortController()
  prompts.once('close', () => closed.abort())
  try {
    return await readAnswers(given, (prompt) => prompts.question(prompt, closed))
  } catch (error) {
    if (closed.signal.aborted) return null
    throw error
  } finally {
    prompts.close()
  }
}

type Ask = (prompt: string) => Promise<string>

const maxAttempts = 3
const maxKeys = 100

const readAnswers = async (given: InitFlags, ask: Ask | null): Promise<Answers> => {
  const answer = async <T>(
    flag: string | undefined,
    question: string,
    byDefault: string,
    read: (text: string) => T,
  ): Promise<T> =>
    flag !== undefined || ask === null
      ? read(flag ?? byDefault)
      : askUntilValid(ask, question, byDefault, read)
  const usual = 'http://127.0.0.1:8080/v1'
  return {
    target: await answer(given['base-url'], 'Base URL of the API', usual, readTarget),
    plans: await answer(given.plan?.join(), 'Plans of your keys, one for each', 'free', readPlans),
    clock: await answer(given.clock, 'Address of its test clock, if it has one', '', readClock),
    ci: await answer(given.ci, `Workflow for CI (${ciNames.join(', ')})`, 'none', readCi),
  }
}

const askUntilValid = async <T>(
  ask: Ask,
  question: string,
  byDefault: string,
  read: (text: string) => T,
): Promise<T> => {
  const prompt = `${question}${byDefault === '' ? '' : ` [${byDefault}]`}: `
  for (let attempt = 1; ; attempt += 1) {
    const typed = (await ask(prompt)).trim() || byDefault
    try {
      return read(typed)
    } catch (error) {
      if (attempt >= maxAttempts || !(error instanceof UsageError)) throw error
      process.stderr.write(`  ${error.message}\n`)
    }
  }
}

const readTarget = (text: string): string => readBaseUrl(text).href.replace(/\/$/, '')

const readClock = (text: string): string | null =>
  text === '' ? null : readAddress('clock', text).href

const plansOnly = 'name the plan of each key, not the key: petvet reads it from the environment'

const readPlans = (text: string): readonly Plan[] => {
  const plans = text.split(/[\s,]+/).filter((name) => name !== '')
  if (plans.length === 0 || plans.length > maxKeys) {
    throw new UsageError(`name from 1 to ${maxKeys} plans, one for each key`)
  }
  return plans.map((name) => readPlan(name, plansOnly))
}

const readCi = (text: string): Answers['ci'] => {
  const ci = ciNames.find((each) => each === text)
  if (ci) return ci
  throw new UsageError(`unknown CI service "${text}"; available: ${ciNames.join(', ')}`)
}

const exists = (path: string): boolean => existsSync(resolve(path))

/** All of them or none: every obstacle is found before the first file is written. */
const writeAll = (files: readonly InitFile[], isForced: boolean): void => {
  const other = defaultNames.find(
    (name) => exists(name) && files.every(({ path }) => path !== name),
  )
  if (other !== undefined) {
    throw new UsageError(`${other} already exists, and only one configuration is read: move it`)
  }
  const existing = files.find(({ path }) => exists(path))
  if (existing && !isForced) {
    throw new UsageError(`${existing.path} already exists: add --force to overwrite it`)
  }
  const attempt = (path: string, act: () => void) =>
    orRefuse(act, ({ code }) => `cannot write ${path}: ${code}`)
  for (const { path } of files) attempt(path, () => makeFolder(dirname(resolve(path))))
  for (const { path, text } of files) {
    const place = resolve(path)
    attempt(path, () => writeWhole(dirname(place), basename(place), text))
  }
}

const printNext = (answers: Answers): void => {
  const written = formatInitFiles(answers).map(({ path }) => `wrote ${path}\n`)
  const exports = listVariables(answers).map((name) => `  export ${name}=...\n`)
  const include = 'and in .gitlab-ci.yml: include: .gitlab/petvet.gitlab-ci.yml\n'
  const lines = [...written, '\nNext:\n', ...exports, '  petvet plan\n  petvet check\n']
  process.stdout.write([...lines, answers.ci === 'gitlab' ? include : ''].join(''))
}
