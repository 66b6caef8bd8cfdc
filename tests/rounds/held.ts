// What a process holds once all that can be collected is: memory, open files, pending work.
import { readdirSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'

export interface Held {
  readonly heapBytes: number
  /** Outside the heap: buffers. */
  readonly externalBytes: number
  /** Of the whole process, found at each tenth look. */
  readonly residentBytes: number
  /** Open file descriptors; 0 where the system does not tell. */
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

/**
 * Gives back the pages of the heap that are free too: else V8 keeps what its busiest moment took,
 * which moves with the load of the machine. It also lets go of code that is compiled anew then, so
 * that is done now and again only: the heap would be measured while it grows back.
 */
const giveBack = { type: 'major', execution: 'sync', flavor: 'last-resort' } as const
const givenBackEach = 10

let looks = 0
let residentBytes = 0

/** In a process that was started with `--expose-gc`. */
export const heldNow = async (): Promise<Held> => {
  if (!globalThis.gc) throw new Error('needs --expose-gc')
  for (let turn = 0; turn < turns; turn += 1) {
    await setImmediate()
    if (turn % 3 === 0) globalThis.gc()
  }
  const { heapUsed, external, arrayBuffers } = process.memoryUsage()
  if (looks % givenBackEach === 0) {
    globalThis.gc(giveBack)
    residentBytes = process.memoryUsage.rss()
  }
  looks += 1
  return {
    heapBytes: heapUsed,
    externalBytes: external + arrayBuffers,
    residentBytes,
    files: openFiles(),
    resources: process.getActiveResourcesInfo().toSorted(),
  }
}
