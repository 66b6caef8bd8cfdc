// What a run of `petvet check` is told, from its settings: once, or again and again with --watch.
import { isOver, type KnownFile } from '../reports/known.ts'
import type { RunOptions } from '../suites/kit/run-options.ts'
import type { CheckSettings } from './check-settings.ts'
import type { Target } from './target.ts'

export const optionsOfCheck = (
  settings: CheckSettings,
  target: Target,
  signal: AbortSignal,
): RunOptions => {
  const { seed, maxRequests, answerTimeoutMs, maxTimeMs, strict, bail, again, known } = settings
  const excused = excusedToday(known)
  const bounds = { maxRequests, answerTimeoutMs, maxTimeMs }
  return { ...target, ...bounds, seed, strict, bail, excused, signal, again }
}

/** Failures that are known, and whose excuse is not over. */
const excusedToday = ({ failures }: KnownFile): ReadonlySet<string> => {
  const today = new Date().toISOString()
  return new Set([...failures].filter(([, known]) => !isOver(known, today)).map(([id]) => id))
}
