// The head of a journal: what a run was begun with. A key stands in it as a salted digest.
import { createHash, randomBytes } from 'node:crypto'
import type { RunOptions } from '../run-options.ts'
import { version } from '../version.ts'
import type { Head } from './journal.ts'
import { journalForm } from './journal.ts'

/** So that a journal tells nobody a key, and the run knows it again. */
export const printOf = (salt: string, text: string): string =>
  createHash('sha256').update(salt).update('\0').update(text).digest('hex')

export const headersPrint = (salt: string, headers: RunOptions['headers']): string =>
  printOf(salt, JSON.stringify(headers))

interface Begun {
  readonly runId: string
  readonly startedAt: Date
  readonly nowMs: number
  readonly keys: readonly (RunOptions['keys'][number] & { readonly label: string })[]
  readonly questions: readonly { readonly id: string }[]
}

export const headOf = (options: RunOptions, begun: Begun): Head => {
  const { seed, baseUrl, clockUrl, descriptionUrl, allow, shared, strict } = options
  const { maxRequests, answerTimeoutMs, categories, headers } = options
  const { runId, startedAt, nowMs, keys, questions } = begun
  const salt = randomBytes(16).toString('hex')
  return {
    ...{ kind: 'head', form: journalForm, petvet: version, runId, seed, salt, nowMs },
    startedAt: startedAt.toISOString(),
    ...{ baseUrl, clockUrl, descriptionUrl, categories: categories.map(String), allow, shared },
    ...{ strict, maxRequests, answerTimeoutMs, headers: headersPrint(salt, headers) },
    keys: keys.map(({ label, plan, quota, use, key }) => ({
      ...{ label, plan, quota, use: use ?? null, print: printOf(salt, key) },
    })),
    questions: questions.map(({ id }) => id),
  }
}
