// `petvet serve`: the reference server until a signal ends it.
import type { Variant } from '../../reference/compose.ts'
import { isToken } from '../../reference/keys.ts'
import { type Reference, type ReferenceOptions, startReference } from '../../reference/start.ts'
import { command, type Given, text } from '../command.ts'
import { type Environment, keyOptions, readSecret, splitKey } from '../config/keys.ts'
import { portBounds, wholeNumber } from '../config/values.ts'
import { madeUpKeys, reportFault } from '../run/built-in.ts'
import { onInterrupt, untilInterrupted } from '../run/interrupt.ts'
import { didYouMean, UsageError } from '../usage-error.ts'

const flags = {
  port: text('port of the API; 0: any [8080]'),
  keys: text('keys it accepts: free=K,pro=K,business=K [made up, one of each]'),
  clock: { type: 'string', describe: 'with a test clock, on this port [any]' },
  mutant: text('with the fault of a mutant, or as a legal variant, by its id'),
  replicas: text('how many processes serve together; needs --counters and --store FILE [1]'),
  counters: text('count in Redis or Valkey: redis://HOST:PORT, or $NAME to read it from there'),
  store: text('memory or FILE.sqlite [memory]'),
} as const

type ServeFlags = Given<typeof flags>

export const serve = command(flags, async (given) => {
  const options = optionsOf(given)
  const sharing = sharingOf(given, process.env)
  const variant = given.mutant === undefined ? {} : await variantOf(given.mutant)
  const interrupt = onInterrupt()
  const server = await atPort(() => start(options, sharing, variant))
  const lines = [
    `api ${server.url}`,
    ...(server.clockUrl === undefined ? [] : [`clock ${server.clockUrl}`]),
    `description ${server.descriptionUrl}`,
    ...options.keys.map(({ plan, key }) => `key ${plan} ${key}`),
  ]
  process.stdout.write(lines.map((line) => `petvet: ${line}\n`).join(''))
  await untilInterrupted(interrupt)
  await server.close()
  interrupt.release()
  return 0
})

const optionsOf = ({ keys: given, port = '8080', clock }: ServeFlags) => {
  const keys =
    given === undefined
      ? madeUpKeys()
      : keyOptions(
          given.split(',').map((each) => splitKey(each, '--keys')),
          process.env,
        )
  const wrong = keys.find(({ key }) => !isToken(key))
  if (wrong !== undefined) {
    const allowed = 'letters, digits and ._~+/-, and = at the end'
    throw new UsageError(`the ${wrong.plan} key of --keys is no bearer token; allowed: ${allowed}`)
  }
  return {
    keys: keys.map(({ plan, key, quota }) => ({ plan, key, ...quota })),
    port: wholeNumber('--port', port, portBounds),
    ...(clock !== undefined && { clockPort: wholeNumber('--clock', clock || '0', portBounds) }),
    onFault: reportFault,
  }
}

/** What several replicas share. */
interface Sharing {
  readonly replicas: number
  /** The address of the counters; null: in memory. */
  readonly counters: string | null
  readonly store: string
}

const replicaBounds = { min: 1, max: 64 }

/** Addresses and files are not repeated in messages: an address may contain a password. */
const sharingOf = (given: ServeFlags, environment: Environment): Sharing => {
  const { store = 'memory', mutant } = given
  const replicas = wholeNumber('--replicas', given.replicas ?? '1', replicaBounds)
  const counters =
    given.counters === undefined ? null : readSecret('--counters', given.counters, environment)
  if (counters !== null && !(URL.canParse(counters) && /^rediss?:\/\/[^/]/.test(counters))) {
    throw new UsageError('--counters takes an address such as redis://127.0.0.1:6379')
  }
  if (store !== 'memory' && !store.endsWith('.sqlite')) {
    throw new UsageError('--store takes memory or a file that ends in .sqlite')
  }
  if (mutant !== undefined && (replicas > 1 || counters !== null)) {
    throw new UsageError('--mutant cannot be combined with --replicas or --counters')
  }
  if (replicas > 1 && counters === null) {
    throw new UsageError(
      '--replicas needs --counters redis://HOST:PORT: each would grant the whole quota alone',
    )
  }
  if (replicas > 1 && store === 'memory') {
    throw new UsageError('--replicas needs --store FILE.sqlite: they share no memory')
  }
  return { replicas, counters, store }
}

const start = async (
  options: Omit<ReferenceOptions, 'store'>,
  { store, counters, replicas }: Sharing,
  variant: Variant,
): Promise<Reference> => {
  try {
    if (replicas > 1) {
      const { startReplicas } = await import('../../reference/replicas.ts')
      return await startReplicas({ ...options, store, counters, replicas })
    }
    const counted = counters === null ? {} : { counters: { url: counters } }
    return await startReference({ ...options, ...counted, store, variant })
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_SQLITE_ERROR') throw error
    throw new UsageError(`cannot open the store ${store}: ${(error as Error).message}`)
  }
}

const variantOf = async (id: string): Promise<Variant> => {
  const { subjects } = await import('../proving/subject.ts')
  const { loadMutants } = await import('../../reference/mutants/load.ts')
  const all = [...subjects, ...loadMutants.map((mutant) => ({ id: mutant.id, variant: mutant }))]
  const found = all.find((each) => each.id === id)
  if (found) return found.variant
  const ids = all.map((each) => each.id)
  throw new UsageError(`unknown mutant "${id}"${didYouMean(id, ids)}`)
}

/** Errors about the port, or the counters, as one line. @throws UsageError */
export const atPort = async <T>(start: () => Promise<T>): Promise<T> => {
  try {
    return await start()
  } catch (error) {
    const { code, port, message } = error as NodeJS.ErrnoException & { port?: number }
    if (code === 'EADDRINUSE') {
      throw new UsageError(`port ${port} is in use: choose another, or 0 for any`)
    }
    if (code === 'EACCES') throw new UsageError(`port ${port} is not allowed: choose another`)
    if (code === 'ERR_COUNTERS') throw new UsageError(message)
    throw error
  }
}
