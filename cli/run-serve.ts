// The work of `petvet serve`: the reference server until a signal ends it.
import { randomBytes } from 'node:crypto'
import type { Variant } from '../reference/compose.ts'
import { startReference } from '../reference/start.ts'
import { onInterrupt, untilInterrupted } from './interrupt.ts'
import { type GivenKey, keyOptions, splitKey } from './keys.ts'
import { nearest } from './nearest.ts'
import { portBounds, wholeNumber } from './numbers.ts'
import { UsageError } from './usage-error.ts'

interface ServeFlags {
  readonly port: string | undefined
  readonly keys: string | undefined
  readonly clock: string | undefined
  readonly mutant: string | undefined
  readonly store: string | undefined
}

const usualPort = '8080'

export const madeUpKeys = (): GivenKey[] =>
  ['free', 'pro', 'business'].map((plan) => ({
    plan,
    key: `${plan}-${randomBytes(12).toString('hex')}`,
  }))

export const runServe = async (flags: ServeFlags): Promise<number> => {
  const given = flags.keys?.split(',').map(splitKey) ?? madeUpKeys()
  const keys = keyOptions(given, process.env)
  const port = wholeNumber('--port', flags.port ?? usualPort, portBounds)
  const interrupt = onInterrupt()
  const server = await atPort(async () =>
    startReference({
      keys,
      store: storeOf(flags.store ?? 'memory'),
      port,
      ...(flags.clock !== undefined && {
        clockPort: wholeNumber('--clock', flags.clock || '0', portBounds),
      }),
      ...(flags.mutant !== undefined && { variant: await variantOf(flags.mutant) }),
      onFault: (fault) => console.error('petvet: a fault of the reference:', fault),
    }),
  )
  const lines = [
    `api ${server.url}`,
    ...(server.clockUrl === undefined ? [] : [`clock ${server.clockUrl}`]),
    `description ${server.descriptionUrl}`,
    ...keys.map(({ plan, key }) => `key ${plan} ${key}`),
  ]
  process.stdout.write(lines.map((line) => `petvet: ${line}\n`).join(''))
  await untilInterrupted(interrupt)
  await server.close()
  interrupt.release()
  return 0
}

const variantOf = async (id: string): Promise<Variant> => {
  const { subjects } = await import('./proving/subject.ts')
  const found = subjects.find((subject) => subject.id === id)
  if (found) return found.variant
  const meant = nearest(
    id,
    subjects.map((subject) => subject.id),
  )
  throw new UsageError(`"${id}" is no mutant${meant ? `; did you mean ${meant}?` : ''}`)
}

const storeOf = (text: string): string => {
  if (text === 'memory' || text.endsWith('.sqlite')) return text
  throw new UsageError(`--store takes memory or a file that ends in .sqlite, not "${text}"`)
}

/** A port that is taken or forbidden is told in one line; it takes another one to go on. */
export const atPort = async <T>(start: () => Promise<T>): Promise<T> => {
  try {
    return await start()
  } catch (error) {
    const { code, port } = error as NodeJS.ErrnoException & { port?: number }
    if (code === 'EADDRINUSE') throw new UsageError(`port ${port} is taken: give another --port`)
    if (code === 'EACCES') throw new UsageError(`port ${port} is not allowed: give another --port`)
    throw error
  }
}
