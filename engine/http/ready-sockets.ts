// Connections that are opened before the requests that need them.

import type { Socket } from 'node:net'

type Done = (...args: [error: null, socket: Socket] | [error: Error, socket: null]) => void

export type Connect<Options> = (options: Options, done: Done) => void

const ignore = () => {}

/**
 * Opens connections before requests need them, so that requests sent at the same time leave at the
 * same time, and not each when its own connection is ready. An undici pool cannot do that itself.
 */
export const createReadySockets = <Options>(
  connect: Connect<Options>,
  options: Options,
  freeCount: () => number,
) => {
  const ready: Socket[] = []
  let waiting: (() => void)[] = []

  const takeOpen = (): Socket | undefined => {
    let socket = ready.shift()
    while (socket && socket.readyState !== 'open') {
      socket.destroy()
      socket = ready.shift()
    }
    return socket
  }

  const taken: Connect<Options> = (options, done) => {
    const socket = takeOpen()
    if (!socket) return connect(options, done)
    // undici does not expect the callback before the connector has returned.
    queueMicrotask(() => {
      socket.off('error', ignore)
      done(null, socket)
    })
  }

  /** If it fails, the request opens its connection again, and fails with that error. */
  const open = () =>
    new Promise<void>((resolve) => {
      connect(options, (...[, socket]) => {
        if (socket) ready.push(socket.on('error', ignore))
        resolve()
      })
    })

  const release = async () => {
    const batch = waiting
    waiting = []
    const missing = batch.length - freeCount() - ready.length
    await Promise.all(Array.from({ length: Math.max(0, missing) }, open))
    for (const go of batch) go()
  }

  /** Waits until there is a connection for all that are sent in the same turn of the loop. */
  const together = (): Promise<void> =>
    new Promise((resolve) => {
      waiting.push(resolve)
      if (waiting.length === 1) setImmediate(() => void release())
    })

  const close = () => {
    for (const socket of ready.splice(0)) socket.destroy()
  }
  return { connect: taken, together, close }
}
