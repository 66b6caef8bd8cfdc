// The work of `petvet domains removed`: before a person removes a domain, and after it.
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AcquireOptions } from '../../suites/publishing/acquire/acquire.ts'
import { watchRemoval } from '../../suites/publishing/acquire/removal.ts'
import { hostsOf } from '../../suites/publishing/facts.ts'
import { tellAnswer } from '../../suites/publishing/page.ts'
import { claimFolder } from '../claim-folder.ts'
import { interruptedCode, onInterrupt } from '../interrupt.ts'
import { readOutput } from '../output-settings.ts'
import type { OutputFlags } from '../run-flags.ts'
import { UsageError } from '../usage-error.ts'
import { type AskedFlags, acquireOptions, hostOf } from './asked.ts'
import { type ConcludeFlags, conclude, readConclusion } from './conclude.ts'
import { readDomains } from './read-domains.ts'

interface RemovedFlags extends AskedFlags, ConcludeFlags, OutputFlags {
  readonly host: string | undefined
  readonly signal: string | undefined
}

const lookEachMs = 200
const waitMostMs = 30 * 60_000

export const runRemoved = async (flags: RemovedFlags): Promise<number> => {
  const conclusion = readConclusion(flags, readOutput(flags, process.cwd()))
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
    claimFolder(conclusion.output.folder)
    const watch = await watchRemoval(options, host)
    try {
      const [before] = watch.before
      const answers = before ? tellAnswer(before) : 'nothing'
      process.stderr.write(`petvet: ${host} answers ${answers}; the connection is held\n`)
      await untilRemoved(flags.signal, interrupt.signal)
      if (interrupt.signal.aborted) return interruptedCode
      return conclude(await watch.after(), notes, conclusion, interrupt.signal)
    } finally {
      watch.close()
    }
  } finally {
    interrupt.release()
  }
}

/** @throws UsageError where nobody says so within half an hour, or standard input ends */
const untilRemoved = async (file: string | undefined, signal: AbortSignal): Promise<void> => {
  if (file === undefined) return untilEnter(signal)
  process.stderr.write(`petvet: remove it now, and then make the file ${file}\n`)
  for (let waitedMs = 0; !existsSync(resolve(file)) && !signal.aborted; waitedMs += lookEachMs) {
    if (waitedMs >= waitMostMs) throw new UsageError(`--signal ${file} did not come`)
    await sleep(lookEachMs)
  }
}

const untilEnter = async (signal: AbortSignal): Promise<void> => {
  process.stderr.write('petvet: remove it in the dashboard now, and then press Enter\n')
  const input = createInterface({ input: process.stdin })
  try {
    const ended = once(input, 'close', { signal }).then(() => 'ended')
    const pressed = once(input, 'line', { signal }).then(() => 'pressed')
    const first = await Promise.race([pressed, ended])
    if (first === 'ended') throw new UsageError('standard input ended: use --signal FILE')
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    input.close()
  }
}
