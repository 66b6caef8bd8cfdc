// The verdict of a run in a few lines, the first of which says it all.
import { count } from '../engine/count.ts'
import type { RunFile, Verdict } from '../engine/run-file.ts'
import { isOfDomains } from './again.ts'
import { hasNewFailure, type KnownVerdict } from './known.ts'
import { visible } from './visible.ts'

const words: Readonly<Record<Verdict, string>> = {
  conformant: 'conformant',
  'not-conformant': 'not conformant',
  undecided: 'undecided',
  error: 'could not run',
}

/** What an interrupted run has seen is no verdict yet; one error is not the end of a run. */
export const wordOf = (run: RunFile): string => {
  const errors = run.checks.filter(({ outcome }) => outcome === 'error').length
  if (run.verdict === 'error' && run.impossible === null) {
    return `${count(errors, 'check', 'checks')} ended in an error`
  }
  return `${run.interrupted ? 'so far ' : ''}${words[run.verdict]}`
}

export const verdictLine = (run: RunFile, known: KnownVerdict): string =>
  lineWith(run, known, run.impossible === null ? [] : [visible(run.impossible)])

/** The same in words of ours alone: why a run could not be held may be told by the target. */
export const verdictTitle = (run: RunFile, known: KnownVerdict): string => lineWith(run, known, [])

const lineWith = (run: RunFile, known: KnownVerdict, cause: readonly string[]): string => {
  const { excused, stale, moved } = known
  const failed = run.requirements.filter(
    ({ level, outcome }) => level === 'must' && outcome === 'fail',
  ).length
  const told = [
    ...(run.interrupted ? ['interrupted'] : []),
    wordOf(run),
    ...(run.verdict === 'not-conformant' && !hasNewFailure(run, known)
      ? ['but only in known ways']
      : []),
    ...cause,
    ...(run.bailedAt === undefined
      ? []
      : [`ended at the first failure, ${visible(run.bailedAt)} (--bail)`]),
    ...(failed > 0 ? [`${count(failed, 'must', 'musts')} broken`] : []),
    ...(excused.size > 0 ? [`${count(excused.size, 'failure', 'failures')} known`] : []),
    ...(stale.size > 0 ? [`${count(stale.size, 'stale line', 'stale lines')}`] : []),
    ...(moved?.size ? [`${count(moved.size, 'pinned answer', 'pinned answers')} changed`] : []),
  ]
  const { must, should } = run.decided
  const decided = `${must[0]} of ${must[1]} musts and ${should[0]} of ${should[1]} shoulds decided`
  const seed = isOfDomains(run) ? '' : `, seed ${run.seed}`
  return `petvet: ${told.join(', ')} (${decided}${seed})`
}

/** What the run cost: requests, time, and which keys bore them. */
export const costLine = (run: RunFile): string => {
  const used = Object.entries(run.requestsByKey).filter(([, sent]) => sent > 0)
  const keys = used.map(([key, sent]) => `${key} ${sent}`)
  const onKeys = keys.length > 0 ? `, of these on keys: ${keys.join(', ')}` : ''
  const seconds = (run.durationMs / 1_000).toFixed(1)
  const sent = count(run.requests, 'request', 'requests')
  return `${run.target.baseUrl}: ${sent} in ${seconds} s${onKeys}`
}
