// Connections that are opened before requests need them: so those that are sent at the same time
// leave at the same time, and not each when its own connection is ready.
import type { Socket } from 'node:net'

/** How the library under the wire asks for a connection. */
export type Connect<Options> = (
  options: Options,
  done: (...result: [Error, null] | [null, Socket]) => void,
) => void

const ignore = () => {}

/** @param isFree how many open connections have nothing to do */
export const createReadySockets = <Options>(
  connect: Connect<Options>,
  options: Options,
  free: () => number,
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

  const taken: Connect<Options> = (asked, done) => {
    const socket = takeOpen()
    if (!socket) return connect(asked, done)
    // Who asks for one is not ready to be given it at once.
    queueMicrotask(() => {
      socket.off('error', ignore)
      done(null, socket)
    })
  }

  /** One that cannot be opened is opened once more for its request, which then ends as it does. */
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
    const missing = batch.length - free() - ready.length
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
