// `petvet check --watch`: runs again on Enter, and each time the server comes back: its port is
// closed while it restarts.
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Target } from '../config/target.ts'
import { isLoopback, UsageError } from '../config/values.ts'
import type { CheckResult } from '../engine/check/run-file.ts'
import { isTested } from '../engine/check/verdict.ts'
import { Carried } from '../engine/quota/ledger.ts'
import type { CheckFlags } from './flags.ts'
import { finishRun, writeRun } from './output/finish.ts'
import { claimFolder, interruptedCode, interruptible } from './output/folder.ts'
import { say } from './output/progress.ts'
import { hasFailed, sentFirst } from './run/earlier-run.ts'
import { readCheckSettings, runChecks, type TargetSettings } from './run/recorded.ts'

/** What begins a round. */
type Cause = 'the first one' | 'the server came back' | 'Enter'

/** Whether something listens at the target; behind a proxy its own port cannot be watched. */
const listens = async ({ baseUrl, reach }: Target, signal: AbortSignal): Promise<boolean> => {
  const url = new URL(baseUrl)
  if (reach.proxyOf(url) !== null) return true
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port, signal })
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

export const watch = (flags: CheckFlags): Promise<number> => {
  const settings = readCheckSettings(flags, process.env, process.cwd())
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

const whatNext = process.stdin.isTTY
  ? 'Enter: run again · q and Enter: quit'
  : 'waiting for a restart of the server'

/** @param over aborted where no round follows */
const createRound = (settings: TargetSettings, over: AbortSignal) => {
  const carried = new Carried()
  const { hostname } = new URL(settings.target.baseUrl)
  /** The last results of checks that have not passed since. */
  const failed = new Map<string, CheckResult>()
  let rounds = 0
  return async (cause: Cause, ending: AbortSignal): Promise<number> => {
    rounds += 1
    const folder = join(settings.folder, `${rounds}`)
    const first = sentFirst(failed.values())
    const own = { ...settings, folder, run: { ...settings.run, carried, first } }
    claimFolder(folder)
    say(`round ${rounds} (${cause})${first.size > 0 ? ', failed checks first' : ''}`, own)
    // A local server that was restarted counts its quota anew.
    if (cause === 'the server came back' && isLoopback(hostname)) carried.forget()
    const run = await runChecks(own, 'new', ending)
    const isAborted = run.interrupted && !over.aborted
    const code = isAborted ? interruptedCode : finishRun(run, own)
    if (isAborted) {
      writeRun(folder, run)
      say(`round ${rounds} was interrupted`, own)
    }
    for (const id of updateFailed(failed, run.checks)) say(`now passes: ${id}`, own)
    say(whatNext, own)
    return code
  }
}

/** @returns the checks that pass now */
const updateFailed = (failed: Map<string, CheckResult>, checks: readonly CheckResult[]) => {
  const tested = checks.filter(isTested)
  for (const each of tested) if (hasFailed(each)) failed.set(each.id, each)
  const passing = tested.filter((each) => !hasFailed(each)).map(({ id }) => id)
  return passing.filter((id) => failed.delete(id))
}
