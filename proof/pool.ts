// Worker threads that work through one queue of servers, by their ids.
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'

/** In the package the worker is a file of its own at the top of dist/. */
const proofWorker = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : '../worker.js',
  import.meta.url,
)

const runWorker = <Result>(
  queue: string[],
  seed: number,
  report: (result: Result) => void,
  signal: AbortSignal,
  url: URL,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(url, { workerData: seed })
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
 * Works through all servers, several at a time.
 * @param report called with each result as it is done
 * @param url of the worker, which is sent an id at a time
 * @returns the results in the order of the servers
 */
export const workThrough = async <Result extends { readonly id: string }>(
  servers: readonly { readonly id: string }[],
  seed: number,
  report: (result: Result) => void,
  signal: AbortSignal,
  url = proofWorker,
): Promise<Result[]> => {
  const queue = servers.map(({ id }) => id)
  const done = new Map<string, Result>()
  const keep = (result: Result) => {
    done.set(result.id, result)
    report(result)
  }
  // A run over sockets waits for about as long as it computes.
  const workers = Math.min(2 * availableParallelism(), queue.length)
  const run = () => runWorker(queue, seed, keep, signal, url)
  await Promise.all(Array.from({ length: workers }, run))
  return servers.flatMap(({ id }) => done.get(id) ?? [])
}
