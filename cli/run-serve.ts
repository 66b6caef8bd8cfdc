// The work of `petvet serve`: the reference server until a signal ends it.
import { randomBytes } from 'node:crypto'
import type { Variant } from '../reference/compose.ts'
import { isToken } from '../reference/keys.ts'
import { startReference } from '../reference/start.ts'
import { onInterrupt, untilInterrupted } from './interrupt.ts'
import { type GivenKey, keyOptions, splitKey } from './keys.ts'
import { didYouMean } from './nearest.ts'
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

/** Two of a plan, so that one of them may be banned, and one each of two others. */
export const madeUpKeys = (): GivenKey[] =>
  ['free', 'free', 'pro', 'business'].map((plan) => ({
    plan,
    key: `${plan}-${randomBytes(12).toString('hex')}`,
  }))

export const runServe = async (flags: ServeFlags): Promise<number> => {
  const given = flags.keys?.split(',').map((text) => splitKey(text, '--keys')) ?? madeUpKeys()
  const keys = keyOptions(given, process.env)
  for (const { plan, key } of keys) {
    if (isToken(key)) continue
    const characters = 'letters, digits and ._~+/-, with = at its end alone'
    throw new UsageError(`the ${plan} key of --keys is no bearer token: it may have ${characters}`)
  }
  const port = wholeNumber('--port', flags.port ?? usualPort, portBounds)
  const store = storeOf(flags.store ?? 'memory')
  const options = {
    keys,
    port,
    ...(flags.clock !== undefined && {
      clockPort: wholeNumber('--clock', flags.clock || '0', portBounds),
    }),
    onFault: (fault: unknown) => console.error('petvet: a fault of the reference:', fault),
  }
  const variant = flags.mutant === undefined ? {} : await variantOf(flags.mutant)
  const interrupt = onInterrupt()
  const server = await atPort(() =>
    atStore(store, () => startReference({ ...options, store, variant })),
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

/** A store that cannot be opened is named in one line. */
const atStore = async <T>(store: string, start: () => Promise<T>): Promise<T> => {
  try {
    return await start()
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_SQLITE_ERROR') throw error
    throw new UsageError(`cannot open the store ${store}: ${(error as Error).message}`)
  }
}

const storeOf = (text: string): string => {
  if (text === 'memory' || text.endsWith('.sqlite')) return text
  throw new UsageError('--store takes memory or a file that ends in .sqlite')
}

const variantOf = async (id: string): Promise<Variant> => {
  const { subjects } = await import('./proving/subject.ts')
  const { loadMutants } = await import('../reference/mutants/load.ts')
  const all = [...subjects, ...loadMutants.map((mutant) => ({ id: mutant.id, variant: mutant }))]
  const found = all.find((each) => each.id === id)
  if (found) return found.variant
  const ids = all.map((each) => each.id)
  throw new UsageError(`"${id}" is no mutant${didYouMean(id, ids)}`)
}

/** A port that is taken or forbidden is told in one line; it takes another one to go on. */
export const atPort = async <T>(start: () => Promise<T>): Promise<T> => {
  try {
    return await start()
  } catch (error) {
    const { code, port } = error as NodeJS.ErrnoException & { port?: number }
    if (code === 'EADDRINUSE')
      throw new UsageError(`port ${port} is taken: name another, or 0 for any`)
    if (code === 'EACCES') throw new UsageError(`port ${port} is not allowed: name another`)
    throw error
  }
}
