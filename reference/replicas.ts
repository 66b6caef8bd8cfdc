// Several replicas behind one address, as a service runs in production. Each is a process with a
// server of its own; they share the file of animals, which SQLite lets several processes write to,
// the counters, and the clock, which lives here. One that ends is not replaced: that is told, and
// the others go on.
import { realClock, type TestClock, testClock } from './clock.ts'
import { clockDoor, clockPath } from './clock-door.ts'
import { descriptionPath } from './description.ts'
import { writeError } from './errors.ts'
import type { Handle } from './message.ts'
import { type Replica, startProcess } from './replicas-process.ts'
import { spread } from './replicas-spread.ts'
import type { Order, Reading } from './replicas-worker.ts'
import { basePath } from './routes.ts'
import { type Served, serve, usualLimits } from './serve.ts'
import { sharedSqliteStore } from './sqlite-store.ts'
import { host, type Reference, type ReferenceOptions } from './start.ts'

export interface ReplicasOptions
  extends Pick<ReferenceOptions, 'keys' | 'port' | 'clockPort' | 'onFault'> {
  replicas: number
  /** The path of a file: replicas share no memory. */
  store: string
  /** The address of their counters; null lets each count alone, which is a fault to be found. */
  counters: string | null
}

const closeMs = usualLimits.closeMs + 1_000

export const startReplicas = async (options: ReplicasOptions): Promise<Reference> => {
  const movable = options.clockPort === undefined ? undefined : testClock(Date.now(), elapsedMs)
  const counters = await beginAt(options.counters, (movable ?? realClock).now())
  // Open for as long as they are, so that none of them finds the file half made, or closes it.
  const store = sharedSqliteStore(options.store)
  const replicas = Array.from({ length: options.replicas }, () =>
    startProcess(options.onFault, closeMs),
  )
  const doors: Pick<Served, 'close'>[] = []
  const close = async () => {
    // The address closes with them, because their connections run through it.
    await Promise.all([...doors, ...replicas].map((each) => each.close()))
    store.close()
  }
  try {
    const start: Order = {
      kind: 'start',
      keys: options.keys,
      store: options.store,
      ...(counters && { counters }),
      ...(movable && { reading: read(movable) }),
    }
    await Promise.all(replicas.map((replica) => replica.obey(start)))
    const { port, clockPort } = options
    const ports = () => replicas.flatMap((replica) => replica.port() ?? [])
    const api = await spread({ host, port, ports, connections: usualLimits.connections, closeMs })
    doors.push(api)
    const door = movable && sharedDoor(movable, replicas)
    const mover = door && (await openDoor(door, clockPort ?? 0, options))
    if (mover) doors.push(mover)
    return {
      url: `${api.url}${basePath}`,
      descriptionUrl: `${api.url}${descriptionPath}`,
      ...(mover && { clockUrl: `${mover.url}${clockPath}` }),
      close,
    }
  } catch (fault) {
    await close()
    throw fault
  }
}

const elapsedMs = () => performance.now()

const read = (clock: TestClock): Reading => ({ nowMs: clock.now(), atMs: Date.now() })

const beginAt = async (url: string | null, nowMs: number) => {
  if (url === null) return undefined
  const { beginCounting } = await import('./redis-counters.ts')
  return { url, sinceMs: await beginCounting(url, nowMs) }
}

const openDoor = (handle: Handle, port: number, { onFault }: ReplicasOptions): Promise<Served> =>
  serve({ handle, refuse: writeError, onFault, host, port, limits: usualLimits })

/** A move is answered when every replica has made it. */
const sharedDoor = (clock: TestClock, replicas: readonly Replica[]): Handle => {
  const door = clockDoor(clock)
  return async (request) => {
    const answer = await door(request)
    if (request.method !== 'POST') return answer
    const move: Order = { kind: 'move', reading: read(clock) }
    await Promise.all(replicas.map(({ port, obey }) => port() && obey(move)))
    return answer
  }
}
