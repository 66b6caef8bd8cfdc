// Worker threads that work through one queue of servers, by their ids.
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Proof } from './proof.ts'
import type { Signatures } from './signatures.ts'
import type { Subject } from './subject.ts'

/** What a worker makes of a server. */
interface Works {
  readonly proof: Proof
  readonly signatures: Signatures
}

export interface Task {
  readonly work: keyof Works
  readonly seed: number
}

/** In the package the worker is a file of its own at the top of dist/. */
const workerUrl = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : '../../worker.js',
  import.meta.url,
)

const runWorker = <Result>(
  queue: string[],
  task: Task,
  report: (result: Result) => void,
  signal: AbortSignal,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(workerUrl, { workerData: task })
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
 * @returns the results in the order of the servers
 */
export const workThrough = async <Work extends keyof Works>(
  servers: readonly Pick<Subject, 'id'>[],
  work: Work,
  seed: number,
  report: (result: Works[Work]) => void,
  signal: AbortSignal,
): Promise<Works[Work][]> => {
  const queue = servers.map(({ id }) => id)
  const done = new Map<string, Works[Work]>()
  const keep = (result: Works[Work]) => {
    done.set(result.id, result)
    report(result)
  }
  // A run over sockets waits for about as long as it computes.
  const perCore = work === 'proof' ? 2 : 1
  const workers = Math.min(perCore * availableParallelism(), queue.length)
  const task = { work, seed }
  await Promise.all(Array.from({ length: workers }, () => runWorker(queue, task, keep, signal)))
  return servers.flatMap(({ id }) => done.get(id) ?? [])
}
