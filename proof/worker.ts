// A worker of the pool: proves the subjects that it is sent, by their ids.
import { parentPort, workerData } from 'node:worker_threads'
import { findSubject, isServer, type Proof, vetServer } from './subjects.ts'

parentPort?.on('message', async (id: string) => {
  const subject = findSubject(id)
  const { kind, says, caughtBy } = subject
  const { seed } = workerData
  const startMs = performance.now()
  const judged = isServer(subject)
    ? (await vetServer(subject, seed)).judged
    : // It takes optional packages.
      await (await import('./judge-project.ts')).judgeProject(subject.project)
  const durationMs = performance.now() - startMs
  const proof: Proof = { id, kind, seed, says, caughtBy, ...judged, durationMs }
  parentPort?.postMessage(proof)
})
