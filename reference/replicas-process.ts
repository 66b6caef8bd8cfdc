// The process of one replica, as its parent sees it: orders go out, answers and faults come back.
import { type ChildProcess, fork } from 'node:child_process'
import type { Order, Report } from './replicas-worker.ts'

/** Compiled, the worker is a .js file beside this one. */
const workerUrl = new URL(
  import.meta.url.endsWith('.ts') ? './replicas-worker.ts' : './replicas-worker.js',
  import.meta.url,
)

const orderMs = 20_000

export interface Replica {
  /** Undefined when it is not up. */
  port: () => number | undefined
  obey: (order: Order) => Promise<void>
  close: () => Promise<void>
}

/** `closeMs` is how long a close waits before it kills. */
export const startProcess = (onFault: (fault: unknown) => void, closeMs: number): Replica => {
  const child = fork(workerUrl, { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const state: { port?: number; isClosing: boolean } = { isClosing: false }
  const ended = new Promise<void>((resolve) => {
    child.on('exit', () => resolve())
    child.on('error', (fault) => {
      onFault(fault)
      if (child.pid === undefined) resolve()
    })
  })
  child.on('message', (report: Report) => {
    if (report.kind === 'fault') onFault(new Error(report.message))
  })
  child.on('exit', (code, signal) => {
    delete state.port
    if (!state.isClosing) onFault(new Error(`A replica has ended by itself (${signal ?? code}).`))
  })
  return {
    port: () => state.port,
    obey: async (order) => {
      const report = await answerOf(child, order)
      if (report.kind !== 'done') throw new Error(`A replica has failed: ${report.message}`)
      state.port = report.port
    },
    close: async () => {
      state.isClosing = true
      if (child.connected) child.disconnect()
      const deadline = setTimeout(() => child.kill('SIGKILL'), closeMs)
      await ended
      clearTimeout(deadline)
    },
  }
}

let orders = 0

const answerOf = (child: ChildProcess, order: Order): Promise<Report> =>
  new Promise((resolve, reject) => {
    const id = ++orders
    const settle = () => {
      clearTimeout(deadline)
      child.off('message', hear)
      child.off('exit', leave)
    }
    const hear = (report: Report) => {
      if (report.kind === 'fault' || report.id !== id) return
      settle()
      resolve(report)
    }
    const leave = () => {
      settle()
      reject(new Error('A replica did not answer.'))
    }
    const deadline = setTimeout(leave, orderMs)
    child.on('message', hear)
    child.on('exit', leave)
    child.send({ ...order, id }, (fault) => fault && leave())
  })
