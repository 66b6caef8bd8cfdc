// A worker of the pool: proves the subjects that it is sent, by their ids.
import { parentPort, workerData } from 'node:worker_threads'
import { prove } from './proof.ts'
import { subjects } from './subjects.ts'

const byId = new Map(subjects.map((subject) => [subject.id, subject]))

parentPort?.on('message', async (id: string) => {
  const subject = byId.get(id)
  if (!subject) throw new Error(`no mutant, variant or constant server is called ${id}`)
  parentPort?.postMessage(await prove(subject, workerData.seed))
})
