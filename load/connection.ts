// One connection of the crowd: puts autocannon's client on a socket of ours. Its own would not
// verify a certificate, would write before the connection stands, would lose the request that
// follows `Connection: close`, and would knock on a refused port without a pause.
import type { Socket } from 'node:net'
import { type Answer, type Client, createReader, type Reader } from './autocannon-client.ts'
import type { Lost, Sample } from './load-form.ts'

/** Autocannon's own timer is not used: it counts only while a request is under way. */
const neverMs = 2 ** 30
/** Attempts in a row without an answer: after some of them it pauses, then it gives up. */
const attempts = { most: 6, atOnce: 2, pauseMs: 10, pauseMostMs: 1_000 }
const closing = 'it closes its connections without an answer'

export interface ConnectionParts {
  /** The label of the key. */
  readonly key: string
  readonly timeoutMs: number
  /** Whether one request more may leave; told for each, just before it does. */
  readonly mayBegin: () => boolean
  /** Opens a socket, and tells when it stands: then, and not before, something is written. */
  readonly open: (stands: () => void) => Socket
  /** Whether each request goes on a connection of its own. */
  readonly isRenewed: boolean
  /** Whether the body of the next answer is kept. */
  readonly keepsBody: () => boolean
  readonly sample: (sample: Sample) => void
  /** It is refused, or closed without an answer, however often it tries. */
  readonly gaveUp: (why: string) => void
}

export interface Connection {
  /** No further request; what is under way is waited for. */
  readonly drain: () => void
  /** Ends at once: what is under way is lost. */
  readonly cut: () => void
  /** Looks whether an answer, or the connection itself, has been waited for too long. */
  readonly look: () => void
}

/** The one request that is under way: it ends as a sample, whatever becomes of it. */
const createPending = ({ key, sample }: ConnectionParts) => {
  let pending: { readonly sentMs: number } | undefined
  const settle = (answer: Answer | null, lost: Lost | null) => {
    if (!pending) return
    const { sentMs } = pending
    pending = undefined
    const { status, rawHeaders, body } = answer ?? { status: 0, rawHeaders: [], body: null }
    sample({ key, status, lost, sentMs, ms: performance.now() - sentMs, rawHeaders, body })
  }
  return {
    begin: () => {
      pending = { sentMs: performance.now() }
    },
    answer: (answer: Answer) => settle(answer, null),
    lose: (lost: Lost) => settle(null, lost),
    isUnderWay: () => pending !== undefined,
  }
}

interface Heard {
  readonly isOld: () => boolean
  readonly reader: Reader
  readonly isClosing: () => boolean
  /** The connection is of no use any more. */
  readonly over: (why: string) => void
}

const listen = (socket: Socket, { isOld, reader, isClosing, over }: Heard): void => {
  let why = closing
  socket.on('data', (chunk: Buffer) => {
    if (isOld()) return
    const isSound = reader.read(chunk)
    if (!isOld() && (!isSound || isClosing())) over(why)
  })
  socket.on('end', () => {
    if (!isOld()) reader.end()
  })
  socket.on('error', (error: NodeJS.ErrnoException) => {
    why = error.code ?? error.message
  })
  socket.on('close', () => {
    if (!isOld()) over(why)
  })
}

/** How long to wait after so many attempts without an answer; null: it is given up. */
const pauseAfter = (failures: number): number | null => {
  if (failures > attempts.most) return null
  if (failures <= attempts.atOnce) return 0
  return Math.min(attempts.pauseMs * 2 ** failures, attempts.pauseMostMs)
}

const isDone = ({ responseMax, reqsMade }: Client) => responseMax > 0 && reqsMade >= responseMax

/** Autocannon ends a client that is done by itself, and sends nothing then. */
const askNext = (client: Client, write: () => void, { mayBegin }: ConnectionParts): void => {
  if (isDone(client) || mayBegin()) write()
  else client.destroy()
}

export const takeOver = (client: Client, parts: ConnectionParts): Connection => {
  const pending = createPending(parts)
  const state = { failures: 0, isDraining: false, isClosing: false, sinceMs: 0 }
  let reader: Reader | undefined
  let retry: NodeJS.Timeout | undefined
  client.timeout = neverMs
  client.on('request', pending.begin)

  const answered = (answer: Answer) => {
    Object.assign(state, { failures: 0, isClosing: parts.isRenewed || !answer.keepsAlive })
    pending.answer(answer)
  }

  const write = client._doRequest.bind(client)
  /** Autocannon calls this when an answer is whole, and we do when a connection stands. */
  client._doRequest = () => {
    state.sinceMs = performance.now()
    if (state.isDraining) client.destroy()
    else if (!state.isClosing || isDone(client)) askNext(client, write, parts)
  }

  /** Called by autocannon, once. */
  client._connect = () => {
    clearTimeout(retry)
    client.pipelinedRequests.clear()
    if (client.destroyed) return
    Object.assign(state, { isClosing: false, sinceMs: performance.now() })
    // Autocannon sets up its parser after we have taken over.
    reader ??= createReader(client, answered, parts.keepsBody)
    reader.begin()
    const socket = parts.open(() => {
      if (!isOld()) client._doRequest()
    })
    const isOld = () => socket !== client.conn || client.destroyed
    client.conn = socket
    listen(socket, { isOld, reader, isClosing: () => state.isClosing, over: again })
  }

  /** Connects anew; after a pause that grows where it gets no answer, and not for ever. */
  const again = (why: string) => {
    client.conn.destroy()
    pending.lose('reset')
    // An answer has set it to 0, so one that closes its connection is followed at once.
    state.failures += 1
    const pauseMs = pauseAfter(state.failures)
    if (pauseMs === null) {
      parts.gaveUp(why)
      client.destroy()
    } else if (pauseMs === 0) client._connect()
    else retry = setTimeout(client._connect, pauseMs)
  }

  const cut = () => {
    clearTimeout(retry)
    pending.lose('reset')
    client.destroy()
  }
  return {
    cut,
    drain: () => {
      state.isDraining = true
      if (!pending.isUnderWay()) cut()
    },
    look: () => {
      const isPausing = client.conn.destroyed && !pending.isUnderWay()
      if (client.destroyed || isPausing) return
      if (performance.now() - state.sinceMs < parts.timeoutMs) return
      pending.lose('timeout')
      again('it does not answer')
    },
  }
}
