// The same run over HTTP/2 and over HTTP/1.1, before one server.
import { expect, onTestFinished } from 'vitest'
import { type ReferenceOptions, startReference } from '../../reference/start.ts'
import type { Question } from '../../suites/kit/check.ts'
import { runSuites } from '../../suites/kit/run.ts'
import type { RunFile } from '../../suites/kit/run-file.ts'
import type { RunOptions } from '../../suites/kit/run-options.ts'
import { direct } from '../../suites/kit/wire/reach.ts'
import { testOptions, twoFree } from '../vet-reference.ts'
import { type Gate, openGate } from './gate.ts'

export const silent = { exchange: () => {}, event: () => {} }

const openServer = async (server: Partial<ReferenceOptions>) => {
  const keys = twoFree
  const usual = { keys, store: 'memory', port: 0, clockPort: 0, onFault: () => {} }
  const reference = await startReference({ ...usual, ...server })
  onTestFinished(reference.close)
  return reference
}

/** Vets the reference behind a gate. */
export const vetThrough = async (
  questions: readonly Question[],
  http2: boolean,
  open: (origin: string) => Promise<Gate>,
  differing: Partial<RunOptions>,
  server: Partial<ReferenceOptions>,
): Promise<{ run: RunFile; gate: Gate }> => {
  const { url, clockUrl = null, descriptionUrl } = await openServer(server)
  const gate = await open(new URL(url).origin)
  const options = testOptions(`${gate.origin}/v1`, {
    keys: twoFree,
    clockUrl,
    descriptionUrl,
    reach: { ...direct, ca: gate.ca, http2 },
    ...differing,
  })
  return { run: await runSuites(questions, options, silent), gate }
}

export const overBoth = async (
  questions: readonly Question[],
  differing: Partial<RunOptions>,
  server: Partial<ReferenceOptions>,
): Promise<readonly [old: RunFile, now: RunFile]> => {
  const open = (origin: string) => openGate({ origin, http2: true })
  const old = await vetThrough(questions, false, open, differing, server)
  const now = await vetThrough(questions, true, open, differing, server)
  expect(new Set(old.gate.versions)).toEqual(new Set(['1.1']))
  expect(new Set(now.gate.versions)).toEqual(new Set(['2.0']))
  expect([old.run.target.http, now.run.target.http]).toEqual(['1.1', '2'])
  return [old.run, now.run]
}

const outcomes = (run: RunFile) =>
  run.checks.map(({ id, outcome, because }) => `${id} ${outcome} ${because}`).sort()

/** Every question ends in the same way, and what is observed is the same. */
export const sameOverBoth = async (questions: readonly Question[]): Promise<void> => {
  const [old, now] = await overBoth(questions, {}, {})
  expect(outcomes(now)).toEqual(outcomes(old))
  expect(now.observations).toEqual(old.observations)
  expect(now.verdict).toBe('conformant')
}
