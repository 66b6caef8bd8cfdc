// A run of petvet against a library's server.

import type { AnyCheck } from '../../engine/check/declare.ts'
import type { RunFile } from '../../engine/check/run-file.ts'
import type { KeyOption } from '../../engine/check/spendable-keys.ts'
import { runSuites } from '../../engine/run/run.ts'
import type { RunOptions } from '../../engine/run/run-options.ts'
import { catalogue } from '../../suites/index.ts'
import { forked } from '../forked.ts'
import { keyOf, silent, testOptions } from '../vet-reference.ts'
import type { MountName } from './mounts.ts'
import { startRedis } from './redis.ts'
import type { Order } from './worker.ts'

export const freeKeys = ['one', 'two', 'three'].map((name) => keyOf('free', name))
export const allKeys = [...freeKeys, keyOf('pro', 'four')]

/** Whether the counters are in a Redis, which then is one of the server's own. */
export const needsRedis = (name: MountName): boolean => name.includes('Redis')

interface Addresses {
  readonly url: string
  readonly clockUrl: string | null
  /** The socket of its Redis; empty: it has none. */
  readonly redisSocket: string
}

/** Runs an action while a library's server is up. */
export const atLibrary = async <T>(
  name: MountName,
  hasClock: boolean,
  keys: readonly KeyOption[],
  use: (addresses: Addresses) => Promise<T>,
  sharedSocket = '',
): Promise<T> => {
  const redis = needsRedis(name) && sharedSocket === '' ? await startRedis() : undefined
  const redisSocket = redis?.socket ?? sharedSocket
  const order: Order = { name, keys, redisSocket, hasClock }
  const server = forked(new URL('./worker.ts', import.meta.url))
  try {
    const addresses = await server.ask<Omit<Addresses, 'redisSocket'>>(order)
    return await use({ ...addresses, redisSocket })
  } finally {
    server.kill()
    await redis?.stop()
  }
}

export const vetLibrary = (
  name: MountName,
  hasClock: boolean,
  keys: readonly KeyOption[],
  differing: Partial<RunOptions>,
  checks: readonly AnyCheck[] = catalogue,
): Promise<RunFile> =>
  atLibrary(name, hasClock, keys, ({ url, clockUrl }) => {
    const options = testOptions(url, { clockUrl, keys, maxRequests: 10_000, ...differing })
    return runSuites(checks, options, silent)
  })
