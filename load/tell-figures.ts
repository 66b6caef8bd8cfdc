// Figures in words, for the scenarios that only watch.
import type { Counts, Fate, LoadFigures } from '../engine/load-figures.ts'

/** What was seen; where it is bad news, a warning. */
export type Told = string | { readonly warn: string }

const names: Readonly<Record<Exclude<Fate, 'served'>, string>> = {
  refused: 'refused',
  banned: 'banned',
  otherClientError: 'another 4xx',
  serverError: 'a 5xx',
  timeout: 'no answer in time',
  reset: 'connection lost',
}

/** `2 refused, 1 no answer in time`; empty where all were served. */
const tellKinds = (counts: Counts): string =>
  Object.entries(names)
    .map(([fate, name]) => ({ name, count: counts[fate as Fate] }))
    .filter(({ count }) => count > 0)
    .map(({ name, count }) => `${count} ${name}`)
    .join(', ')

/** What `tellErrors` records, in plain words. */
export const foundErrors =
  'How many requests were not served, and how they ended; any at all is a warning.'

export const tellErrors = ({ sent, neverSent, counts }: LoadFigures): Told => {
  const failed = sent - counts.served
  const held = neverSent > 0 ? `; ${neverSent} more were never sent` : ''
  if (failed === 0 && neverSent === 0) return `none in ${sent} requests`
  return { warn: `${failed} of ${sent} requests failed (${tellKinds(counts) || 'none'})${held}` }
}

export const tellMs = (ms: number): string => `${ms < 10 ? ms.toFixed(2) : ms.toFixed(1)} ms`

export const tellLatency = ({ latency }: LoadFigures): string =>
  latency === null
    ? 'no answer'
    : `p50 ${tellMs(latency.p50Ms)}, p99 ${tellMs(latency.p99Ms)}, ` +
      `most ${tellMs(latency.maxMs)} of ${latency.count} answers`
