// The command line: reads the arguments, runs one command, and answers its exit code.

import { version } from '../engine/version.ts'
import { WriteFault } from '../reports/run-folder.ts'
import { visible } from '../reports/visible.ts'
import { commands } from './all-commands.ts'
import { UsageError } from './usage-error.ts'

export const main = async (argv: string[]): Promise<number> => {
  process.stdout.on('error', passOverClosedPipe)
  // What is told there is no result: without a reader the run goes on.
  process.stderr.on('error', () => {})
  try {
    expectFolder()
    const { parse } = await import('./parser.ts')
    return await parse(argv, version, commands, process.stdout.columns)
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof WriteFault)) throw error
    process.stderr.write(`petvet: ${told(error.message)}\n`)
    return error instanceof WriteFault ? 3 : 2
  }
}

/** All that is read and written lies below the current folder, which may have been deleted. */
const expectFolder = (): void => {
  try {
    process.cwd()
  } catch {
    throw new UsageError('the current folder does not exist any more: change to another one')
  }
}

/** What was typed may be long, and hold what a terminal obeys. */
const toldMost = 2_000

const told = (message: string): string => {
  const text = message.split('\n').map(visible).join('\n')
  return text.length > toldMost ? `${text.slice(0, toldMost)}...` : text
}

/** Who reads our output may stop reading (`petvet list | head`); the exit code still counts. */
const passOverClosedPipe = (error: NodeJS.ErrnoException): void => {
  if (error.code === 'EPIPE') return
  // What cannot be told is not a verdict about the target.
  process.stderr.write(`petvet: cannot write to standard output: ${error.code}\n`)
  process.exit(3)
}
