// Starts the reference server: the API on one port, and its test clock, if wanted, on another.
import { refuseMalformed } from './api.ts'
import { type BanRule, usualBan, withBans } from './bans.ts'
import { realClock, testClock } from './clock.ts'
import { clockDoor, clockPath } from './clock-door.ts'
import { compose, type Variant } from './compose.ts'
import { descriptionPath, withDescription } from './description.ts'
import { createKeys, type IssuedKey } from './keys.ts'
import { clockWindow, createLimiter } from './limiter.ts'
import type { Handle } from './message.ts'
import { basePath } from './routes.ts'
import { type Served, serve, usualLimits } from './serve.ts'
import { sqliteStore } from './sqlite-store.ts'
import { memoryStore } from './store.ts'

export interface ReferenceOptions {
  keys: readonly IssuedKey[]
  /** `memory`, or the path of a file. */
  store: string
  /** 0 lets the system choose. */
  port: number
  /** The port of the test clock; without it the server goes by real time. */
  clockPort?: number
  ban?: BanRule
  variant?: Variant
  onFault: (fault: unknown) => void
}

export interface Reference {
  /** The base address, `/v1` included. */
  url: string
  clockUrl?: string
  /** Where the description is published. */
  descriptionUrl: string
  /** Answers what is in flight, and then lets go of the ports and the store. */
  close: () => Promise<void>
}

/** Never reachable from another machine: its keys and its clock are for tests. */
const host = '127.0.0.1'

export const startReference = async (options: ReferenceOptions): Promise<Reference> => {
  const variant = options.variant ?? {}
  const movable = testClock(Date.now(), () => performance.now())
  const store = options.store === 'memory' ? memoryStore() : sqliteStore(options.store)
  const { handle, parts } = compose(
    {
      clock: options.clockPort === undefined ? realClock : movable,
      keys: createKeys(options.keys),
      limiter: withBans(createLimiter(clockWindow), options.ban ?? usualBan),
      store,
    },
    variant,
  )
  const open = (door: Handle, port: number): Promise<Served> =>
    serve({
      handle: door,
      refuse: (status, code, message) => refuseMalformed(status, code, message, parts),
      onFault: options.onFault,
      host,
      port,
      limits: usualLimits,
    })
  const doors: Served[] = []
  const close = async () => {
    await Promise.all(doors.map((door) => door.close()))
    store.close()
  }
  try {
    const api = await open(withDescription(handle, variant), options.port)
    doors.push(api)
    const { clockPort } = options
    const clock = clockPort === undefined ? undefined : await open(clockDoor(movable), clockPort)
    if (clock) doors.push(clock)
    return {
      url: `${api.url}${variant.basePath ?? basePath}`,
      descriptionUrl: `${api.url}${descriptionPath}`,
      ...(clock && { clockUrl: `${clock.url}${clockPath}` }),
      close,
    }
  } catch (fault) {
    await close()
    throw fault
  }
}
