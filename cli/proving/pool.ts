// Worker threads, each with its own servers, that prove subjects from one queue.
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Proof } from './proof.ts'
import type { Subject } from './subject.ts'

/** Compiled, the worker is a .js file next to this one. */
const workerUrl = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js',
  import.meta.url,
)

const runWorker = (
  queue: Subject[],
  seed: number,
  report: (proof: Proof) => void,
  signal: AbortSignal,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(workerUrl, { workerData: { seed } })
    const next = () => {
      const subject = signal.aborted ? undefined : queue.shift()
      if (subject) worker.postMessage(subject.id)
      else end()
    }
    const end = () => {
      signal.removeEventListener('abort', end)
      worker.terminate().then(() => resolve(), reject)
    }
    worker.on('message', (proof: Proof) => {
      report(proof)
      next()
    })
    worker.on('error', reject)
    // A proof in flight is dropped: half of it proves nothing.
    signal.addEventListener('abort', end)
    next()
  })

/**
 * Proves all subjects, several at a time.
 * @param report called with each proof as it is done
 * @returns the proofs in the order of the subjects
 */
export const proveAll = async (
  subjects: readonly Subject[],
  seed: number,
  report: (proof: Proof) => void,
  signal: AbortSignal,
): Promise<Proof[]> => {
  const queue = [...subjects]
  const done = new Map<string, Proof>()
  const keep = (proof: Proof) => {
    done.set(proof.id, proof)
    report(proof)
  }
  // A proof waits for about as long as it computes.
  const workers = Math.min(2 * availableParallelism(), queue.length)
  await Promise.all(Array.from({ length: workers }, () => runWorker(queue, seed, keep, signal)))
  return subjects.flatMap(({ id }) => done.get(id) ?? [])
}
