// Starts the reference server: the API on one port, and its test clock, if wanted, on another.
import { readOpenapi } from '../spec/openapi.ts'
import { compose, refuseMalformed } from './api.ts'
import { clockPath, handleClock, realClock, testClock } from './clock.ts'
import { type Served, serve, usualLimits } from './http-server.ts'
import { createKeys, type IssuedKey } from './issued-keys.ts'
import { clockWindow, createLimiter, usualBan, withBans } from './limiter.ts'
import { type Handle, splitTarget } from './message.ts'
import { basePath } from './routes.ts'
import { memoryStore, usualFirstId } from './store.ts'
import type { Variant } from './variant.ts'

export interface ReferenceOptions {
  keys: readonly IssuedKey[]
  /** The id of the first pet; a client without int64 takes only small ones. */
  firstId?: bigint
  /** 0 lets the system choose, as is usual. */
  port?: number
  /** The port of the test clock; without it the server uses real time. */
  clockPort?: number
  variant?: Variant
  /** Without it a fault of ours ends the process. */
  onFault?: (fault: unknown) => void
}

export interface Reference {
  /** The base address, `/v1` included. */
  url: string
  clockUrl?: string
  descriptionUrl: string
  /** How many requests have come to the API: a load is checked by it. */
  received: () => number
  /** Responds to what is in flight, and then releases the ports. */
  close: () => Promise<void>
}

/** Never reachable from another machine: its keys and its clock are for tests. */
const host = '127.0.0.1'

const throwFault = (fault: unknown): never => {
  throw fault
}

export const startReference = async (options: ReferenceOptions): Promise<Reference> => {
  const {
    clockPort,
    variant = {},
    firstId = usualFirstId,
    port = 0,
    onFault = throwFault,
  } = options
  const movable = testClock(Date.now(), () => performance.now())
  const { handle, parts } = compose(
    {
      clock: clockPort === undefined ? realClock : movable,
      keys: createKeys(options.keys),
      limiter: withBans(createLimiter(clockWindow), usualBan),
      store: memoryStore((position) => firstId + position),
    },
    variant,
  )
  const servers: Served[] = []
  const open = async (handler: Handle, wanted: number): Promise<Served> => {
    const server = await serve({
      handle: handler,
      refuse: (status, code, message) => refuseMalformed(status, code, message, parts),
      onFault,
      host,
      port: wanted,
      limits: usualLimits,
    })
    servers.push(server)
    return server
  }
  const close = async () => {
    await Promise.all(servers.map((server) => server.close()))
  }
  try {
    const api = await open(withDescription(handle, variant), port)
    const clock = clockPort === undefined ? undefined : await open(handleClock(movable), clockPort)
    return {
      url: `${api.url}${variant.basePath ?? basePath}`,
      descriptionUrl: `${api.url}${descriptionPath}`,
      ...(clock && { clockUrl: `${clock.url}${clockPath}` }),
      received: api.received,
      close,
    }
  } catch (fault) {
    await close()
    throw fault
  }
}

const descriptionPath = '/openapi.json'

/** The OpenAPI document, outside the API and without a key; everything else goes to the API. */
const withDescription = (api: Handle, { description }: Variant): Handle => {
  let text: string | undefined
  return (request) => {
    const isMaybe = request.method === 'GET' && request.target.startsWith(descriptionPath)
    if (!isMaybe || splitTarget(request.target).path !== descriptionPath) return api(request)
    // Made for the first request: most servers here never get one.
    text ??= JSON.stringify(description?.(readOpenapi()) ?? readOpenapi())
    return { status: 200, headers: { 'Content-Type': 'application/json' }, body: text }
  }
}
