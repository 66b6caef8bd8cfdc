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

/** What begins and ends the rounds. */
type WatchEvent = 'the first one' | 'the server came back' | 'Enter' | 'away' | 'quit'
type Put = (event: WatchEvent) => void

/** The latest event wins, and aborts the round in progress; nothing follows `quit`. */
export class WatchEvents {
  latest: WatchEvent = 'away'
  arrival = new AbortController()

  readonly put: Put = (event) => {
    if (this.latest !== 'quit') this.latest = event
    this.arrival.abort()
  }

  async next(): Promise<WatchEvent> {
    if (!this.arrival.signal.aborted) await once(this.arrival.signal, 'abort')
    this.arrival = new AbortController()
    return this.latest
  }
}

/** Reads lines of a terminal. @returns what stops it */
const listenToLines = (put: Put): (() => void) => {
  if (!process.stdin.isTTY) return () => {}
  const lines = createInterface({ input: process.stdin })
  lines.on('line', (line) => put(line.trim() === 'q' ? 'quit' : 'Enter'))
  return () => lines.close()
}

/** Connects again and again: often to a local server, seldom where TLS may log each attempt. */
const watchPort = async (
  { baseUrl, reach }: Target,
  put: Put,
  signal: AbortSignal,
): Promise<void> => {
  const url = new URL(baseUrl)
  // Behind a proxy the target's own port cannot be watched.
  if (reach.proxyOf(url) !== null) return put('the first one')
  const everyMs = isLoopback(url.hostname) && url.protocol === 'http:' ? 100 : 1_000
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  let wasOpen: boolean | null = null
  while (!signal.aborted) {
    const socket = connect({ host, port, signal })
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    const found = wasOpen === null ? 'the first one' : 'the server came back'
    if (isOpen !== wasOpen) put(isOpen ? found : 'away')
    wasOpen = isOpen
    await sleep(everyMs, undefined, { signal }).catch(() => {})
  }
}

export const watch = (flags: CheckFlags): Promise<number> => {
  const settings = readCheckSettings(flags, process.env, process.cwd())
  claimRounds(settings)
  return interruptible(async (signal) => {
    const events = new WatchEvents()
    signal.addEventListener('abort', () => events.put('quit'), { once: true })
    const release = listenToLines(events.put)
    const over = new AbortController()
    const port = watchPort(settings.target, events.put, over.signal)
    const run = createRound(settings, events)
    // Before the first round: as if the target could not be reached.
    let code = 3
    try {
      for (;;) {
        const event = await events.next()
        if (event === 'quit') return code
        if (event !== 'away') code = await run(event)
        else say('nothing listens there; waiting for the server to come back', settings)
      }
    } finally {
      over.abort()
      await port
      release()
    }
  })
}

const claimRounds = (settings: TargetSettings): void => {
  const { folder, target } = settings
  claimFolder(folder)
  if (existsSync(join(folder, '1'))) {
    throw new UsageError(`${folder} already contains rounds: choose another folder with --out`)
  }
  say(`target ${target.baseUrl}`, settings)
  say(`rounds go to ${folder}/1, 2, ...`, settings)
}

const whatNext = process.stdin.isTTY
  ? 'Enter: run again · q and Enter: quit'
  : 'waiting for a restart of the server'

const createRound = (settings: TargetSettings, events: WatchEvents) => {
  const carried = new Carried()
  const { hostname } = new URL(settings.target.baseUrl)
  /** The last results of checks that have not passed since. */
  const failed = new Map<string, CheckResult>()
  let rounds = 0
  return async (event: WatchEvent): Promise<number> => {
    rounds += 1
    const folder = join(settings.folder, `${rounds}`)
    const first = sentFirst(failed.values())
    const own = { ...settings, folder, run: { ...settings.run, carried, first } }
    claimFolder(folder)
    say(`round ${rounds} (${event})${first.size > 0 ? ', failed checks first' : ''}`, own)
    // A local server that was restarted counts its quota anew.
    if (event === 'the server came back' && isLoopback(hostname)) carried.forget()
    const run = await runChecks(own, 'new', events.arrival.signal)
    const isAborted = run.interrupted && events.latest !== 'quit'
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
