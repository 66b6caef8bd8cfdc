// Worker threads that work through one queue of subjects, by their ids.
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Order } from './worker.ts'

/** In the package it is a file of its own at the top of dist/. */
const file = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : '../worker.js',
  import.meta.url,
)

const runWorker = <Result>(
  order: Order,
  queue: string[],
  report: (result: Result) => void,
  signal: AbortSignal,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(file, { workerData: order })
    const next = () => {
      const id = signal.aborted ? undefined : queue.shift()
      if (id !== undefined) worker.postMessage(id)
      else end()
    }
    const end = () => {
      signal.removeEventListener('abort', end)
      worker.terminate().then(() => resolve(), reject)
    }
    worker.on('message', (result: Result) => {
      report(result)
      next()
    })
    worker.on('error', reject)
    // A result in flight is dropped: half of it proves nothing.
    signal.addEventListener('abort', end)
    next()
  })

/**
 * Works through all subjects, several at a time.
 * @param report called with each result as it is done
 * @returns the results in the order of the subjects
 */
export const workThrough = async <Result extends { readonly id: string }>(
  order: Order,
  subjects: readonly { readonly id: string }[],
  report: (result: Result) => void = () => {},
  signal: AbortSignal = new AbortController().signal,
): Promise<Result[]> => {
  const queue = subjects.map(({ id }) => id)
  const done = new Map<string, Result>()
  const keep = (result: Result) => {
    done.set(result.id, result)
    report(result)
  }
  // One more than there are cores: a run over sockets waits, one in virtual time never does.
  const workers = Math.min(availableParallelism() + 1, queue.length)
  const run = () => runWorker(order, queue, keep, signal)
  await Promise.all(Array.from({ length: workers }, run))
  return subjects.flatMap(({ id }) => done.get(id) ?? [])
}
