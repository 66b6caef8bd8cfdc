// A run of petvet against a library's server.

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
}

/** Runs an action while a library's server is up. */
export const atLibrary = async <T>(
  name: MountName,
  hasClock: boolean,
  keys: readonly KeyOption[],
  use: (addresses: Addresses) => Promise<T>,
): Promise<T> => {
  const redis = needsRedis(name) ? await startRedis() : undefined
  const order: Order = { name, keys, redisSocket: redis?.socket ?? '', hasClock }
  const server = forked(new URL('./worker.ts', import.meta.url))
  try {
    return await use(await server.ask<Addresses>(order))
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
): Promise<RunFile> =>
  atLibrary(name, hasClock, keys, ({ url, clockUrl }) => {
    const options = testOptions(url, { clockUrl, keys, maxRequests: 10_000, ...differing })
    return runSuites(catalogue, options, silent)
  })
