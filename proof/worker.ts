// A worker of the pool: does one job for the subjects that it is sent, by their ids.
import { parentPort, workerData } from 'node:worker_threads'
import { isFoundFirst } from './first-minute.ts'
import { makeLine } from './kill-table.ts'
import type { Job } from './pool.ts'
import { prove, type Subject } from './proof.ts'
import { isServer, subjects } from './subjects.ts'

const byId = new Map(subjects.map((subject) => [subject.id, subject]))

const work = (subject: Subject, job: Job): Promise<unknown> => {
  if (job.kind === 'proof') return prove(subject, job.seed)
  if (job.kind === 'line') return makeLine(subject)
  if (!isServer(subject)) throw new Error(`${subject.id} is no server`)
  return isFoundFirst(subject, job.order)
}

parentPort?.on('message', async (id: string) => {
  const subject = byId.get(id)
  if (!subject) throw new Error(`no mutant, variant or constant server is called ${id}`)
  parentPort?.postMessage(await work(subject, workerData))
})
