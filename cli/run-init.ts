// The work of `petvet init`: asks, writes nothing over what is there, and tells how to go on.
import { existsSync, fstatSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { makeFolder, writeWhole } from '../reports/run-folder.ts'
import { usualNames } from './config-file.ts'
import { type Answers, type InitFlags, oddityOf, readAnswers } from './init/answers.ts'
import { NoAnswer, openQuestions } from './init/questions.ts'
import { filesOf, type InitFile, variablesOf } from './init/texts.ts'
import { interruptedCode } from './interrupt.ts'
import { UsageError } from './usage-error.ts'

/** How long a pipe may keep silent before that is told. */
const patienceMs = 10_000

export const runInit = async (flags: InitFlags): Promise<number> => {
  const answers = await answersOf(flags)
  if (answers === null) {
    process.stderr.write('\npetvet: nothing was written\n')
    return interruptedCode
  }
  const oddity = oddityOf(answers)
  if (oddity !== undefined) process.stderr.write(`petvet: ${oddity}\n`)
  writeAll(filesOf(answers), flags.force ?? false)
  tellNext(answers)
  return 0
}

/** @returns null where the answer was Ctrl-C or the end of what is typed */
const answersOf = async (flags: InitFlags): Promise<Answers | null> => {
  const isTerminal = process.stdin.isTTY && process.stderr.isTTY
  if (!isTerminal && !hasAnswers()) return readAnswers(flags, null)
  const { stdin: input, stderr: output } = process
  const questions = openQuestions({ input, output, isTerminal, patienceMs })
  const wrong = isTerminal ? (message: string) => output.write(`  ${message}\n`) : null
  try {
    return await readAnswers(flags, { ask: questions.ask, wrong })
  } catch (error) {
    if (error instanceof NoAnswer) return null
    throw error
  } finally {
    questions.close()
  }
}

/** Whether standard input is a pipe or a file, which may hold answers. */
const hasAnswers = (): boolean => {
  try {
    const stat = fstatSync(0)
    return stat.isFIFO() || stat.isFile() || stat.isSocket()
  } catch {
    // A closed one holds none.
    return false
  }
}

const isThere = (path: string): boolean => existsSync(resolve(path))

/** All of them, or none: what stands in the way of one is found before the first is written. */
const writeAll = (files: readonly InitFile[], isForced: boolean): void => {
  const other = usualNames.find((name) => isThere(name) && files.every(({ path }) => path !== name))
  if (other !== undefined) {
    throw new UsageError(`${other} is there already, and one configuration is read: move it away`)
  }
  const there = files.find(({ path }) => isThere(path))
  if (there && !isForced) {
    throw new UsageError(`${there.path} is there already: add --force to write over it`)
  }
  for (const { path } of files) trying(path, () => makeFolder(dirname(resolve(path))))
  for (const { path, text } of files) {
    const place = resolve(path)
    trying(path, () => writeWhole(dirname(place), basename(place), text))
  }
}

const trying = (path: string, act: () => void): void => {
  try {
    act()
  } catch (error) {
    throw new UsageError(`cannot write ${path}: ${(error as NodeJS.ErrnoException).code}`)
  }
}

const tellNext = (answers: Answers): void => {
  const written = filesOf(answers).map(({ path }) => `wrote ${path}\n`)
  const sets = variablesOf(answers).map((name) => `  export ${name}=...\n`)
  const lines = [...written, '\nNext:\n', ...sets, '  petvet plan\n  petvet check\n']
  process.stdout.write(lines.join(''))
  if (answers.ci !== 'gitlab') return
  process.stdout.write('and in .gitlab-ci.yml: include: .gitlab/petvet.gitlab-ci.yml\n')
}
