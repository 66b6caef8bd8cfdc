// What the replicas of `petvet serve` share: their counters and their animals.
import { type Environment, readSecret } from './keys.ts'
import { wholeNumber } from './numbers.ts'
import { UsageError } from './usage-error.ts'

interface SharingFlags {
  readonly replicas: string | undefined
  readonly counters: string | undefined
  readonly store: string | undefined
  readonly mutant: string | undefined
}

export interface Sharing {
  readonly replicas: number
  /** The address of the counters; null: in memory. */
  readonly counters: string | null
  readonly store: string
}

const replicaBounds = { least: 1, most: 64 }

export const readSharing = (flags: SharingFlags, environment: Environment): Sharing => {
  const replicas = wholeNumber('--replicas', flags.replicas ?? '1', replicaBounds)
  const counters = flags.counters === undefined ? null : countersOf(flags.counters, environment)
  const store = storeOf(flags.store ?? 'memory')
  if (flags.mutant !== undefined && (replicas > 1 || counters !== null)) {
    throw new UsageError('--mutant goes with neither --replicas nor --counters')
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

/** Not repeated in a message: it may be meant for the counters. */
const storeOf = (text: string): string => {
  if (text === 'memory' || text.endsWith('.sqlite')) return text
  throw new UsageError('--store takes memory or a file that ends in .sqlite')
}

/** Not repeated in a message, because it may hold a password. */
const countersOf = (text: string, environment: Environment): string => {
  const address = readSecret('--counters', text, environment)
  if (URL.canParse(address) && /^rediss?:\/\/[^/]/.test(address)) return address
  throw new UsageError('--counters takes an address such as redis://127.0.0.1:6379')
}
