// The verdict of a run in a few lines, the first of which says it all.
import type { RunFile, Verdict } from '../suites/kit/run-file.ts'
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

export const verdictLine = (run: RunFile, known: KnownVerdict): string => {
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
    ...(run.impossible === null ? [] : [visible(run.impossible)]),
    ...(failed > 0 ? [`${count(failed, 'must', 'musts')} broken`] : []),
    ...(excused.size > 0 ? [`${count(excused.size, 'failure', 'failures')} known`] : []),
    ...(stale.size > 0 ? [`${count(stale.size, 'stale line', 'stale lines')}`] : []),
    ...(moved?.size ? [`${count(moved.size, 'pinned answer', 'pinned answers')} changed`] : []),
  ]
  const { must, should } = run.decided
  const decided = `${must[0]} of ${must[1]} musts and ${should[0]} of ${should[1]} shoulds decided`
  return `petvet: ${told.join(', ')} (${decided}, seed ${run.seed})`
}

export const tellVerdict = (run: RunFile, known: KnownVerdict): string[] => {
  const keys = Object.entries(run.requestsByKey).map(([key, sent]) => `${key} ${sent}`)
  const onKeys = keys.length > 0 ? `, of these on keys: ${keys.join(', ')}` : ''
  const seconds = (run.durationMs / 1_000).toFixed(1)
  const sent = count(run.requests, 'request', 'requests')
  return [
    verdictLine(run, known),
    `${visible(run.target.baseUrl)}: ${sent} in ${seconds} s${onKeys}`,
  ]
}

export const count = (number: number, one: string, many: string): string =>
  `${number} ${number === 1 ? one : many}`
