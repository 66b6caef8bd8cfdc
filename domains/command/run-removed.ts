// The work of `petvet domains removed`: before a person removes a domain, and after it.
import { existsSync } from 'node:fs'
import { claimFolder } from '../../cli/claim-folder.ts'
import { interruptedCode, onInterrupt } from '../../cli/interrupt.ts'
import { readOutput } from '../../cli/output-settings.ts'
import type { OutputFlags } from '../../cli/run-flags.ts'
import { UsageError } from '../../cli/usage-error.ts'
import type { AcquireOptions } from '../check/acquire/acquire.ts'
import { watchRemoval } from '../check/acquire/removal.ts'
import { hostsOf, type Probe } from '../check/facts.ts'
import { tellAnswer } from '../check/page.ts'
import { type AskedFlags, acquireOptions, hostOf } from './asked.ts'
import { type ConcludeFlags, conclude, readConclusion } from './conclude.ts'
import { awaitPerson } from './pressed.ts'
import { readDomains } from './read-domains.ts'

interface RemovedFlags extends AskedFlags, ConcludeFlags, OutputFlags {
  readonly host: string | undefined
  readonly signal: string | undefined
}

/** The exit code where requests were sent, and no judgement came of them. */
const couldNotRun = 3

const heldText = (before: Probe): string => {
  const answers = tellAnswer(before)
  return before.answer ? `answers ${answers}; the connection is held` : `gives ${answers}`
}

export const runRemoved = async (flags: RemovedFlags): Promise<number> => {
  const conclusion = readConclusion('removed', flags, readOutput(flags, process.cwd()))
  const { config, notes } = readDomains(flags.domains)
  const host = hostOf('--host', flags.host)
  if (!hostsOf(config).includes(host)) {
    throw new UsageError(`--host ${host} is none of the domains: ${hostsOf(config).join(', ')}`)
  }
  if (flags.signal !== undefined && existsSync(flags.signal)) {
    throw new UsageError(`--signal ${flags.signal} is there already: name a file that is not`)
  }
  const interrupt = onInterrupt()
  try {
    const options: AcquireOptions = acquireOptions(flags, config, interrupt.signal)
    const person = await awaitPerson(flags.signal)
    claimFolder(conclusion.output.folder)
    const watch = await watchRemoval(options, host)
    try {
      const [before] = watch.before
      process.stderr.write(
        `petvet: ${host} ${before ? heldText(before) : 'has no address to ask'}\n`,
      )
      const fault = await person.says(interrupt.signal)
      if (interrupt.signal.aborted) return interruptedCode
      if (fault !== null) {
        process.stderr.write(`petvet: ${fault}; nothing was judged\n`)
        return couldNotRun
      }
      return conclude(await watch.after(), notes, conclusion, interrupt.signal)
    } finally {
      watch.close()
      person.close()
    }
  } finally {
    interrupt.release()
  }
}
