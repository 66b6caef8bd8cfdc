// A worker of the pool: proves the subjects that it is sent, by their ids.
import { parentPort, workerData } from 'node:worker_threads'
import type { Proof } from './proof.ts'
import { judge, subjects } from './subjects.ts'

const byId = new Map(subjects.map((subject) => [subject.id, subject]))

parentPort?.on('message', async (id: string) => {
  const subject = byId.get(id)
  if (!subject) throw new Error(`no mutant, variant or constant server is called ${id}`)
  const { kind, says, caughtBy } = subject
  const { seed } = workerData
  const startMs = performance.now()
  const judged = await judge(subject, seed)
  const durationMs = performance.now() - startMs
  const proof: Proof = { id, kind, seed, says, caughtBy, ...judged, durationMs }
  parentPort?.postMessage(proof)
})
