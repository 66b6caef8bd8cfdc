// The work of `petvet domains watch`: looks again and again, and presses nothing.
import { setTimeout as sleep } from 'node:timers/promises'
import { claimFolder } from '../../cli/claim-folder.ts'
import { onInterrupt } from '../../cli/interrupt.ts'
import { wholeNumber } from '../../cli/numbers.ts'
import { readOutput } from '../../cli/output-settings.ts'
import type { OutputFlags } from '../../cli/run-flags.ts'
import { UsageError } from '../../cli/usage-error.ts'
import { acquire } from '../check/acquire/acquire.ts'
import { type Facts, hostsOf } from '../check/facts.ts'
import { type Goal, goals, missingOf } from '../check/watch.ts'
import { type AskedFlags, acquireOptions } from './asked.ts'
import { type ConcludeFlags, conclude, readConclusion } from './conclude.ts'
import { readDomains } from './read-domains.ts'

interface WatchFlags extends AskedFlags, ConcludeFlags, OutputFlags {
  readonly until: string | undefined
  readonly interval: string | undefined
  readonly for: string | undefined
}

const usualIntervalS = 30
const usualMinutes = 35
const intervalBounds = { least: 1, most: 3_600 }
const minutesBounds = { least: 1, most: 3_000 }

const goalOf = (text: string | undefined): Goal => {
  const goal = goals.find((each) => each === (text ?? 'certificate'))
  if (goal) return goal
  throw new UsageError(`--until takes ${goals.join(', ')}, not "${text}"`)
}

const pause = async (ms: number, signal: AbortSignal): Promise<void> => {
  try {
    await sleep(ms, undefined, { signal })
  } catch {
    // The next look is the last one.
  }
}

export const runWatch = async (flags: WatchFlags): Promise<number> => {
  const goal = goalOf(flags.until)
  const intervalS = wholeNumber('--interval', flags.interval ?? `${usualIntervalS}`, intervalBounds)
  const minutes = wholeNumber('--for', flags.for ?? `${usualMinutes}`, minutesBounds)
  const conclusion = readConclusion('watch', flags, readOutput(flags, process.cwd()))
  const { config, notes } = readDomains(flags.domains)
  const interrupt = onInterrupt()
  try {
    const options = acquireOptions(flags, config, interrupt.signal)
    claimFolder(conclusion.output.folder)
    const endMs = Date.now() + minutes * 60_000
    const seen: Record<string, string> = {}
    const tell = createVoice(conclusion.output.quiet, goal)
    let facts: Facts = await acquire(options)
    for (;;) {
      const missing = missingOf(facts, goal)
      if (goal === 'certificate') noteSeen(seen, facts, missing)
      const isOver = missing.length === 0 || interrupt.signal.aborted || Date.now() >= endMs
      tell(facts, missing)
      if (isOver) break
      await pause(intervalS * 1_000, interrupt.signal)
      if (!interrupt.signal.aborted) facts = await acquire(options)
    }
    const whole = { ...facts, certificateSeen: seen }
    return conclude(whole, notes, conclusion, interrupt.signal)
  } finally {
    interrupt.release()
  }
}

const noteSeen = (seen: Record<string, string>, facts: Facts, missing: readonly string[]) => {
  for (const host of hostsOf(facts.config)) {
    if (!missing.includes(host)) seen[host] ??= facts.at
  }
}

/** What is the same as before is said again after so long, so that it is seen to go on. */
const sameAgainMs = 10 * 60_000

const createVoice = (quiet: boolean, goal: Goal) => {
  let last = { what: '', ms: 0 }
  return ({ at }: Facts, missing: readonly string[]): void => {
    const what = missing.length === 0 ? 'all are there' : `waiting for ${missing.join(', ')}`
    if (quiet || (what === last.what && Date.parse(at) - last.ms < sameAgainMs)) return
    last = { what, ms: Date.parse(at) }
    process.stderr.write(`petvet: ${at} ${goal}: ${what}\n`)
  }
}
