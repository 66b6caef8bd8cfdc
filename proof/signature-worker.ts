// A worker that finds the signatures of the mutants that it is sent, by their ids.
import { parentPort, workerData } from 'node:worker_threads'
import { signaturesOf } from './signatures.ts'

parentPort?.on('message', async (id: string) => {
  parentPort?.postMessage(await signaturesOf(id, workerData))
})
