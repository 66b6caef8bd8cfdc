// A worker of the proving pool: proves what it is sent, by its id, one after another.
import { parentPort, workerData } from 'node:worker_threads'
import { proveWithRun } from './proof.ts'
import { subjects } from './subject.ts'

const { seed } = workerData as { seed: number }
const byId = new Map(subjects.map((subject) => [subject.id, subject]))

parentPort?.on('message', async (id: string) => {
  const subject = byId.get(id)
  if (!subject) throw new Error(`no mutant, variant or constant server is called ${id}`)
  const { proof } = await proveWithRun(subject, seed)
  parentPort?.postMessage(proof)
})
