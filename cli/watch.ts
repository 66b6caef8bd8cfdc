// `petvet check --watch`: runs again on Enter, and each time the server comes back.
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createCarried } from '../engine/quota/ledger.ts'
import { count } from '../engine/record/text.ts'
import type { RunFile } from '../engine/run-file.ts'
import { causeChanges } from '../reports/compare/comparison.ts'
import { visible } from '../reports/visible.ts'
import { readCheckSettings } from './config/settings.ts'
import { isLoopback } from './config/values.ts'
import type { CheckFlags } from './flags.ts'
import { finishRun } from './output/finish.ts'
import { claimFolder } from './output/folder.ts'
import { interruptedCode, onInterrupt } from './run/interrupt.ts'
import { runAndWrite } from './run/run-and-write.ts'
import { UsageError } from './usage-error.ts'

export const watch = async (flags: CheckFlags): Promise<number> => {
  const settings = readWatchSettings(flags)
  const { target, url, say } = settings
  const events = new WatchEvents()
  const interrupt = onInterrupt()
  interrupt.signal.addEventListener('abort', () => events.put('quit'), { once: true })
  const release = listenToKeys(process.stdin, events.put)
  const over = new AbortController()
  // Behind a proxy the target's own port cannot be watched.
  const isDirect = target.reach.proxyOf(url) === null
  const port = isDirect ? watchPort(url, events.put, over.signal) : events.put('the first one')
  const run = createRound(settings, events)
  // Before the first round: as if the target could not be reached.
  let code = 3
  try {
    for (;;) {
      const event = await events.next()
      if (event === 'quit') return interrupt.signal.aborted ? interruptedCode : code
      if (event === 'away') say('nothing listens there; waiting for the server to come back')
      else code = await run(event)
    }
  } finally {
    over.abort()
    await port
    release()
    interrupt.release()
  }
}

const createRound = ({ check, target, url, say }: WatchSettings, events: WatchEvents) => {
  const carried = createCarried()
  const failing = new Map<string, readonly string[]>()
  let rounds = 0
  /** The last whole round. */
  let past: RunFile | undefined
  return async (event: WatchEvent): Promise<number> => {
    rounds += 1
    const first = new Set([...failing.values()].flat())
    const round = { ...check.run, carried, first }
    const own = { ...check, run: round, folder: join(check.folder, `${rounds}`) }
    claimFolder(own.folder)
    say(`round ${rounds} (${event})${failing.size > 0 ? ', failed checks first' : ''}`)
    // A local server that was restarted counts its quota anew.
    if (event === 'the server came back' && isLoopback(url.hostname)) carried.forget()
    const run = await runAndWrite(target, own, null, events.arrival.signal)
    const isAborted = run.interrupted && events.latest !== 'quit'
    const code = isAborted ? interruptedCode : finishRun(run, own)
    if (isAborted) say(`round ${rounds} was interrupted`)
    for (const line of changeLines(past, run, failing)) say(line)
    past = isAborted ? past : run
    say(whatNext())
    return code
  }
}

const whatNext = (): string =>
  process.stdin.isTTY ? 'Enter: run again · q: quit' : 'waiting for a restart of the server'

/** The causes of the last whole round that are gone, and the checks that no longer fail. */
const changeLines = (
  past: RunFile | undefined,
  now: RunFile,
  failing: Map<string, readonly string[]>,
): string[] => [
  ...(past ? causeChanges(past, now).fixed : []).map(
    ({ fault, explains }) =>
      `fixed: ${visible(fault)} (${count(explains.length, 'check', 'checks')})`,
  ),
  ...updateFailing(now, failing).map((id) => `now passes: ${id}`),
]

/** Adds what fails, with the checks that show it, and returns what no longer fails. */
const updateFailing = ({ checks }: RunFile, failing: Map<string, readonly string[]>): string[] =>
  checks.flatMap(({ id, outcome, evidence }) => {
    const fails = outcome === 'fail' || outcome === 'error'
    // An invariant sends nothing: the check whose response violated it goes first.
    if (fails) failing.set(id, [id, ...evidence.slice(-1).flatMap((one) => one.check ?? [])])
    return !fails && outcome !== 'untested' && failing.delete(id) ? [id] : []
  })

type WatchSettings = ReturnType<typeof readWatchSettings>

const readWatchSettings = (flags: CheckFlags) => {
  const other = (['resume', 'json', 'update-known'] as const).find((name) => flags[name])
  if (other) throw new UsageError(`--watch and --${other} exclude each other`)
  const check = readCheckSettings(flags, process.env, process.cwd())
  const { target } = check
  claimFolder(check.folder)
  if (existsSync(join(check.folder, '1'))) {
    throw new UsageError(
      `${check.folder} already contains rounds: choose another folder with --out`,
    )
  }
  const say = (line: string) => check.quiet || process.stderr.write(`petvet: ${line}\n`)
  say(`target ${target.baseUrl}`)
  say(`rounds go to ${check.folder}/1, 2, ...`)
  return { check, target, url: new URL(target.baseUrl), say }
}

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

/** Reads single keys of a terminal. @returns what stops it */
export const listenToKeys = (input: typeof process.stdin, put: Put): (() => void) => {
  if (!input.isTTY) return () => {}
  const onData = (chunk: Buffer | string) => {
    const [key = ''] = String(chunk)
    if (key === '\r' || key === '\n') put('Enter')
    else if (key === 'q' || key === '\u0004') put('quit')
    // In raw mode Ctrl-C is a key and sends no signal.
    else if (key === '\u0003') process.emit('SIGINT')
  }
  input.setRawMode(true).on('data', onData).resume()
  return () => {
    input.off('data', onData).setRawMode(false).pause()
  }
}

/** Connects again and again: often to a local server, seldom where TLS may log each attempt. */
const watchPort = async (url: URL, put: Put, signal: AbortSignal): Promise<void> => {
  const everyMs = isLoopback(url.hostname) && url.protocol === 'http:' ? 100 : 1_000
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  let wasOpen: boolean | null = null
  while (!signal.aborted) {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const socket = connect({ host, port, signal }, () => resolve(true))
    socket.on('error', () => resolve(false))
    const isOpen = await promise
    socket.destroy()
    const found = wasOpen === null ? 'the first one' : 'the server came back'
    if (isOpen !== wasOpen) put(isOpen ? found : 'away')
    wasOpen = isOpen
    await sleep(everyMs, undefined, { signal }).catch(() => {})
  }
}
