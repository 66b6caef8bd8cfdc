// What a process holds once all that can be collected is: memory, open files, pending work.
import { readdirSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'

export interface Held {
  readonly heapBytes: number
  /** Outside the heap: buffers. */
  readonly externalBytes: number
  readonly residentBytes: number
  /** Open file descriptors; 0 if unknown. */
  readonly files: number
  /** Timers, sockets and servers that keep the process alive, in order. */
  readonly resources: readonly string[]
}

const openFiles = (): number => {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return 0
  }
}

/** So often the loop turns before it is looked: a socket that is closed takes a turn or two. */
const turns = 10

/** In a process that was started with `--expose-gc`. */
export const heldNow = async (): Promise<Held> => {
  if (!globalThis.gc) throw new Error('needs --expose-gc')
  for (let turn = 0; turn < turns; turn += 1) {
    await setImmediate()
    // An ordinary collection: the last resort frees compiled code too, which then grows back.
    if (turn % 3 === 0) globalThis.gc()
  }
  const { heapUsed, external, arrayBuffers, rss } = process.memoryUsage()
  return {
    heapBytes: heapUsed,
    externalBytes: external + arrayBuffers,
    residentBytes: rss,
    files: openFiles(),
    resources: process.getActiveResourcesInfo().toSorted(),
  }
}
