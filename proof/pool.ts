// Worker threads that work through one queue of subjects, by their ids.
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'

/** The worker of the proofs; in the package it is a file of its own at the top of dist/. */
const proofWorker = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : '../worker.js',
  import.meta.url,
)

const runWorker = <Result>(
  file: URL,
  data: object,
  queue: string[],
  report: (result: Result) => void,
  signal: AbortSignal,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(file, { workerData: data })
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
 * @param data what each worker is given as its `workerData`; that of the proofs takes a seed
 * @param report called with each result as it is done
 * @param file the module that a worker runs: for each id that it is sent it sends back a result
 * @returns the results in the order of the subjects
 */
export const workThrough = async <Result extends { readonly id: string }>(
  data: object,
  subjects: readonly { readonly id: string }[],
  report: (result: Result) => void = () => {},
  signal: AbortSignal = new AbortController().signal,
  file: URL = proofWorker,
): Promise<Result[]> => {
  const queue = subjects.map(({ id }) => id)
  const done = new Map<string, Result>()
  const keep = (result: Result) => {
    done.set(result.id, result)
    report(result)
  }
  // A run over sockets waits for about as long as it computes.
  const workers = Math.min(2 * availableParallelism(), queue.length)
  const run = () => runWorker(file, data, queue, keep, signal)
  await Promise.all(Array.from({ length: workers }, run))
  return subjects.flatMap(({ id }) => done.get(id) ?? [])
}
