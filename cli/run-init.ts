// The work of `petvet init`: asks, writes nothing over what is there, and tells how to go on.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { type Ask, type InitFlags, readAnswers } from './init/answers.ts'
import { filesOf, variablesOf } from './init/texts.ts'
import { interruptedCode } from './interrupt.ts'
import { UsageError } from './usage-error.ts'

export const runInit = async (flags: InitFlags): Promise<number> => {
  const answers = await answersOf(flags)
  if (answers === null) return interruptedCode
  const files = filesOf(answers)
  const there = files.find(({ path }) => existsSync(resolve(path)))
  if (there && !flags.force) {
    throw new UsageError(`${there.path} is there already: add --force to write over it`)
  }
  for (const { path, text } of files) write(path, text)
  process.stdout.write(`${files.map(({ path }) => `wrote ${path}`).join('\n')}\n\n`)
  const sets = variablesOf(answers).map((name) => `  export ${name}=...\n`)
  process.stdout.write(`Next:\n${sets.join('')}  petvet plan\n  petvet check\n`)
  if (answers.ci === 'gitlab') {
    process.stdout.write('and in .gitlab-ci.yml: include: .gitlab/petvet.gitlab-ci.yml\n')
  }
  return 0
}

/** @returns null where the answer was Ctrl-C or the end of the input */
const answersOf = async (flags: InitFlags) => {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return readAnswers(flags, null)
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const ended = new AbortController()
  lines.once('close', () => ended.abort())
  const ask: Ask = (question, usual) =>
    lines.question(`${question}${usual === '' ? '' : ` [${usual}]`}: `, { signal: ended.signal })
  try {
    return await readAnswers(flags, ask)
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'AbortError') throw error
    process.stderr.write('\n')
    return null
  } finally {
    lines.close()
  }
}

const write = (path: string, text: string): void => {
  try {
    mkdirSync(dirname(resolve(path)), { recursive: true })
    writeFileSync(resolve(path), text)
  } catch (error) {
    throw new UsageError(`cannot write ${path}: ${(error as NodeJS.ErrnoException).code}`)
  }
}
