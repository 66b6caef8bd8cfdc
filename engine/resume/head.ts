// The head of a journal: what a run was started with. A key is in it as a salted digest.
import { createHash, randomBytes } from 'node:crypto'
import type { RunOptions } from '../run-options.ts'
import { version } from '../version.ts'
import type { Head } from './journal.ts'

/** Recognises a key or the further headers without storing them. */
export const digestOf = (salt: string, value: string | RunOptions['headers']): string =>
  createHash('sha256')
    .update(`${salt}\0${JSON.stringify(value)}`)
    .digest('hex')

interface Started {
  readonly runId: string
  readonly startedAt: Date
  readonly keys: readonly (RunOptions['keys'][number] & { readonly label: string })[]
  readonly checks: readonly { readonly id: string }[]
}

export const headOf = (options: RunOptions, started: Started): Head => {
  const { seed, baseUrl, clockUrl, descriptionUrl, allow, shared, strict, again } = options
  const { maxRequests, answerTimeoutMs } = options
  const { runId, startedAt, keys, checks } = started
  const salt = randomBytes(16).toString('hex')
  return {
    kind: 'head',
    petvet: version,
    runId,
    seed,
    salt,
    startedAt: startedAt.toISOString(),
    baseUrl,
    clockUrl,
    descriptionUrl,
    categories: options.categories.map(String),
    allow,
    shared,
    strict,
    maxRequests,
    answerTimeoutMs,
    keys: keys.map(({ label, plan, quota, use, key }) => ({
      label,
      plan,
      quota,
      use: use ?? null,
      digest: digestOf(salt, key),
    })),
    headers: digestOf(salt, options.headers),
    checks: checks.map(({ id }) => id),
    ...(again && { again }),
  }
}
