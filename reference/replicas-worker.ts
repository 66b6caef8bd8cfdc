// One of several replicas: the reference in a process of its own, which its parent starts and ends.
import { realClock, type TestClock, testClock } from './clock.ts'
import type { IssuedKey } from './keys.ts'
import { type Reference, startReference } from './start.ts'

/** What a clock shows, and the time of the machine at which it does. */
export interface Reading {
  nowMs: number
  atMs: number
}

export type Order =
  | {
      kind: 'start'
      keys: readonly IssuedKey[]
      store: string
      counters?: { url: string; sinceMs: number }
      /** Of the test clock, if there is one. */
      reading?: Reading
    }
  | { kind: 'move'; reading: Reading }

export type Numbered = Order & { id: number }

/** An answer to each order by its number; faults at any time. */
export type Report =
  | { kind: 'done'; id: number; port: number }
  | { kind: 'failed'; id: number; message: string }
  | { kind: 'fault'; message: string }

const report = (told: Report): void => {
  process.send?.(told)
}

/** What a clock that showed this shows by now: orders take a moment to arrive. */
const shown = ({ nowMs, atMs }: Reading): number => nowMs + Math.max(0, Date.now() - atMs)

const messageOf = (fault: unknown): string =>
  fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)

let clock: TestClock | undefined
let server: Reference | undefined

const obey = async (order: Numbered): Promise<void> => {
  if (order.kind === 'move') clock?.set(shown(order.reading))
  else {
    if (order.reading) clock = testClock(shown(order.reading), () => performance.now())
    const { keys, store, counters } = order
    server = await startReference({
      keys,
      store,
      port: 0,
      replica: { clock: clock ?? realClock },
      ...(counters && { counters }),
      onFault: (fault) => report({ kind: 'fault', message: messageOf(fault) }),
    })
  }
  report({ kind: 'done', id: order.id, port: Number(new URL(server?.url ?? '').port) })
}

process.on('message', (order: Numbered) => {
  const { id } = order
  obey(order).catch((fault) => report({ kind: 'failed', id, message: messageOf(fault) }))
})
// The parent has ended, or wants this one to end: what is in flight is answered first.
process.on('disconnect', async () => {
  await server?.close()
  process.exit()
})
// A signal to the whole group is the parent's to act on.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
