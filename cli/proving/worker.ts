// A worker of the pool: works on the servers that it is sent, by their ids, one after another.
import { parentPort, workerData } from 'node:worker_threads'
import type { Task } from './pool.ts'
import { proveWithRun } from './proof.ts'
import { signaturesOf } from './signatures.ts'
import { subjects } from './subject.ts'

const { work, seed } = workerData as Task
const byId = new Map(subjects.map((subject) => [subject.id, subject]))

const resultOf = async (id: string) => {
  if (work === 'signatures') return signaturesOf(id, seed)
  const subject = byId.get(id)
  if (!subject) throw new Error(`no mutant, variant or constant server is called ${id}`)
  return (await proveWithRun(subject, seed)).proof
}

parentPort?.on('message', async (id: string) => {
  parentPort?.postMessage(await resultOf(id))
})
