// What begins and ends the rounds of `petvet check --watch`: keys of the terminal, and the server's
// port, which is gone while the server restarts.
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Target } from '../config/target.ts'
import { isLoopback } from '../config/values.ts'

export type WatchEvent = 'the first one' | 'the server came back' | 'Enter' | 'away' | 'quit'
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
export const watchPort = async (
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
