// A worker of the pool: proves the servers that it is sent, by their ids, one after another.
import { parentPort, workerData } from 'node:worker_threads'
import { proveWithRun } from './proof.ts'
import { subjects } from './subject.ts'

const byId = new Map(subjects.map((subject) => [subject.id, subject]))

parentPort?.on('message', async (id: string) => {
  const subject = byId.get(id)
  if (!subject) throw new Error(`no mutant, variant or constant server is called ${id}`)
  parentPort?.postMessage((await proveWithRun(subject, workerData)).proof)
})
