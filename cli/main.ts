// The command line: reads the arguments, runs one command, and answers its exit code.

import { version } from '../suites/kit/version.ts'
import { parserOf } from './command.ts'
import { check } from './commands/check.ts'
import { compare } from './commands/compare.ts'
import { domains } from './commands/domains.ts'
import { explain } from './commands/explain.ts'
import { init } from './commands/init.ts'
import { list } from './commands/list.ts'
import { load } from './commands/load.ts'
import { mock } from './commands/mock.ts'
import { mutants } from './commands/mutants.ts'
import { plan } from './commands/plan.ts'
import { report } from './commands/report.ts'
import { serve } from './commands/serve.ts'
import { UsageError } from './usage-error.ts'

const commands = [
  check,
  load,
  serve,
  mock,
  mutants,
  plan,
  list,
  explain,
  report,
  domains,
  compare,
  init,
]

export const main = async (argv: string[]): Promise<number> => {
  let exitCode = 0
  const ended = (code: number) => {
    exitCode = code
  }
  process.stdout.on('error', passOverClosedPipe)
  try {
    await parserOf(argv, version, commands, ended).parseAsync()
    return exitCode
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`petvet: ${error.message}\n`)
    return 2
  }
}

/** Who reads our output may stop reading (`petvet list | head`); the exit code still counts. */
const passOverClosedPipe = (error: NodeJS.ErrnoException): void => {
  if (error.code === 'EPIPE') return
  // What cannot be told is not a verdict about the target.
  process.stderr.write(`petvet: cannot write to standard output: ${error.code}\n`)
  process.exit(3)
}
