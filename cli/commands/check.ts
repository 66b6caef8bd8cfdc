// `petvet check`: runs the suites against a target. With `--watch` it runs them again on Enter, and
// each time the server comes back: its port is closed while it restarts.

import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Target } from '../../config/target.ts'
import { isLoopback, UsageError } from '../../config/values.ts'
import type { CheckResult } from '../../engine/check/run-file.ts'
import { isTested } from '../../engine/check/verdict.ts'
import { lookupFor, reachNotes } from '../../engine/http/connection-options.ts'
import { Carried } from '../../engine/quota/ledger.ts'
import { withFirst } from '../../engine/run/check-order.ts'
import type { Past } from '../../engine/run/journal.ts'
import { withoutResult } from '../../engine/run/results.ts'
import type { Forecast } from '../../engine/run/run-options.ts'
import { addedByFaults, mayWait } from '../../engine/run/time-left.ts'
import { duration } from '../../history/quote.ts'
import * as cli from '../command.ts'
import { type CheckFlags, outputFlags, runFlags, targetFlags } from '../flags.ts'
import { finishRun, writeRun } from '../output/finish.ts'
import { claimFolder, inFolder, interruptedCode, interruptible } from '../output/folder.ts'
import { describeAdded, minutes, say } from '../output/progress.ts'
import * as earlier from '../run/earlier-run.ts'
import * as recorded from '../run/recorded.ts'

export const check = cli.command(
  {
    ...targetFlags,
    ...runFlags,
    ...outputFlags,
    ...cli.grouped('What to run:', {
      failed: cli.argument(
        'the failed checks of a run, with its flags and seed [default: the newest run]',
        { conflicts: ['only', 'skip', 'resume', 'watch'] },
      ),
      resume: cli.text('folder of an interrupted run to resume, with its flags', {
        conflicts: ['only', 'skip', 'out'],
      }),
      watch: cli.toggle('run again at Enter and when the server comes back; failed checks first', {
        conflicts: ['resume', 'json'],
      }),
    }),
  },
  async (flags) => {
    const { failed, ...given } = flags
    if (failed !== undefined) return checkFailed(given, failed)
    if (flags.watch) return watch(flags)
    const { resume } = flags
    if (resume !== undefined) {
      return inFolder(resolve(resume), () => resumeCheck(flags, resume), true)
    }
    const settings = recorded.readCheckSettings(flags)
    return recorded.runInFolder(settings, runOf(settings, 'new'))
  },
)

/** Runs what failed in a run, and says what is fixed. @returns 0 only if all of it passes */
const checkFailed = async (flags: CheckFlags, place: string): Promise<number> => {
  const past = earlier.readFailed(flags, place)
  if (past.failed.length === 0) {
    say(`nothing failed in ${past.place}`)
    return 0
  }
  const read = recorded.readCheckSettings(past.flags)
  const settings = { ...read, checks: withFirst(read.checks, past.first) }
  say(past.says, settings)
  const code = await recorded.runInFolder(settings, runOf(settings, 'new'))
  const now = earlier.readOrRefuse(settings.folder)
  const { line, isFixed } = earlier.comparedWith(past.failed, past.leftOut, now)
  say(line, settings)
  // Where only a whole run shows a failure, what else is untested was not asked.
  const isOfOthers = code === 4 && isFixed && flags.strict !== true
  if (code === 0 && !isFixed) return 4
  return isOfOthers ? 0 : code
}

const resumeCheck = (flags: CheckFlags, place: string): number | Promise<number> => {
  const { settings, past, over } = earlier.readResumed(flags, place)
  if (!over) return recorded.runToEnd(settings, runOf(settings, past))
  say('nothing is left to do', settings)
  return finishRun(over, settings)
}

const runOf =
  (settings: recorded.TargetSettings, kept: Past | 'new') => async (signal: AbortSignal) => {
    const { checks, run, target } = settings
    const left = withoutResult(checks, kept === 'new' ? [] : kept.results)
    printTarget(settings)
    const isForecast = !run.noWait && mayWait(left, target)
    const measured = isForecast ? await import('../../proof/measure-run.ts') : undefined
    const forecast = await measured?.measureRun(left, { ...target, ...run })
    if (measured && forecast) printLength(settings, forecast, measured.timeRoom)
    return recorded.runChecks(settings, kept, signal, forecast)
  }

const minuteMs = 60_000

/** Printed first: which server is checked. */
const printTarget = (settings: recorded.TargetSettings): void => {
  const { configFile, run, target } = settings
  const configuration = configFile === null ? '' : ` (configuration ${configFile})`
  say(`target ${target.baseUrl}${configuration}`, settings)
  say(`seed ${run.seed}`, settings)
  for (const line of reachNotes(target.reach, target.baseUrl)) say(line, settings)
}

/** How long it takes, and what makes minutes seconds. */
const printLength = (
  settings: recorded.TargetSettings,
  forecast: Forecast,
  room: readonly number[],
): void => {
  const { maxTimeMs = Number.POSITIVE_INFINITY } = settings.run
  const own = room.map((each) => each * forecast.lengthMs)
  if (Math.min(forecast.lengthMs, maxTimeMs) < minuteMs) return
  const isCut = own.some((each) => each > maxTimeMs)
  const range = isCut ? `${duration(maxTimeMs)} at most (--max-time)` : minutes(own)
  const remedy = 'a test clock (--clock) makes it seconds; --no-wait runs what fits now'
  say(
    `${range}${isCut ? '' : ' without faults'}, as keys have a quota per minute; ${remedy}`,
    settings,
  )
  if (isCut) return
  say(describeAdded(addedByFaults(forecast, settings.checks, settings.target)), settings)
}

type Cause = 'the first one' | 'the server came back' | 'Enter'

/** Whether something listens at the target; behind a proxy its own port cannot be watched. */
const listens = async ({ baseUrl, reach }: Target, signal: AbortSignal): Promise<boolean> => {
  const url = new URL(baseUrl)
  if (reach.proxyOf(url) !== null) return true
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const socket = connect({ host, port, signal, ...lookupFor(url) })
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** Looks again and again: often at a local server, seldom where TLS may log each attempt. */
const untilListening = async (target: Target, isWanted: boolean, signal: AbortSignal) => {
  const { hostname, protocol } = new URL(target.baseUrl)
  const everyMs = isLoopback(hostname) && protocol === 'http:' ? 100 : 1_000
  while (!signal.aborted && (await listens(target, signal)) !== isWanted) {
    await sleep(everyMs, undefined, { signal }).catch(() => {})
  }
}

const watch = (flags: CheckFlags): Promise<number> => {
  const settings = recorded.readCheckSettings(flags)
  const { folder, target } = settings
  claimFolder(folder)
  if (existsSync(join(folder, '1'))) {
    throw new UsageError(`${folder} already contains rounds: choose another folder with --out`)
  }
  say(`target ${target.baseUrl}`, settings)
  say(`rounds go to ${folder}/1, 2, ...`, settings)
  return interruptible(async (interrupted) => {
    const quit = new AbortController()
    const over = AbortSignal.any([interrupted, quit.signal])
    const lines = process.stdin.isTTY ? createInterface({ input: process.stdin }) : undefined
    const run = createRound(settings, over)
    let cause: Cause = 'the first one'
    /** Ends a round; its reason is the cause of the next one. */
    let next = new AbortController()
    const begin = (by: Cause) => next.abort(by)
    lines?.on('line', (line) => (line.trim() === 'q' ? quit.abort() : begin('Enter')))
    // Before the first round: as if the target could not be reached.
    let code = 3
    while (!over.aborted) {
      if (!(await listens(target, over))) {
        say('nothing listens there; waiting for the server to come back', settings)
        cause = 'the server came back'
        await untilListening(target, true, over)
        if (over.aborted) break
      }
      next = new AbortController()
      const ending = AbortSignal.any([over, next.signal])
      const away = untilListening(target, false, ending)
      away.then(() => begin('the server came back'))
      code = await run(cause, ending)
      // Ends with the round that the server's end, a line or a signal interrupts or follows.
      await away
      cause = next.signal.reason
    }
    lines?.close()
    return code
  })
}

/** @param over aborted where no round follows */
const createRound = (settings: recorded.TargetSettings, over: AbortSignal) => {
  const carried = new Carried()
  const { hostname } = new URL(settings.target.baseUrl)
  /** The last results of checks that have not passed since. */
  const failed = new Map<string, CheckResult>()
  let rounds = 0
  return async (cause: Cause, ending: AbortSignal): Promise<number> => {
    rounds += 1
    const folder = join(settings.folder, `${rounds}`)
    const first = earlier.sentFirst(failed.values())
    const checks = withFirst(settings.checks, first)
    const own = { ...settings, checks, folder, run: { ...settings.run, carried } }
    claimFolder(folder)
    say(`round ${rounds} (${cause})${first.size > 0 ? ', failed checks first' : ''}`, own)
    // A local server that was restarted counts its quota anew.
    if (cause === 'the server came back' && isLoopback(hostname)) carried.forget()
    const run = await recorded.runChecks(own, 'new', ending)
    const isAborted = run.interrupted && !over.aborted
    const code = isAborted ? interruptedCode : finishRun(run, own)
    if (isAborted) {
      writeRun(folder, run)
      say(`round ${rounds} was interrupted`, own)
    }
    for (const id of updateFailed(failed, run.checks)) say(`now passes: ${id}`, own)
    const isTyped = process.stdin.isTTY
    say(
      isTyped ? 'Enter: run again · q and Enter: quit' : 'waiting for a restart of the server',
      own,
    )
    return code
  }
}

/** @returns the checks that pass now */
const updateFailed = (failed: Map<string, CheckResult>, checks: readonly CheckResult[]) => {
  const tested = checks.filter(isTested)
  for (const each of tested) if (earlier.hasFailed(each)) failed.set(each.id, each)
  const passing = tested.filter((each) => !earlier.hasFailed(each)).map(({ id }) => id)
  return passing.filter((id) => failed.delete(id))
}
