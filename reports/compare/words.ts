// The words of a comparison, the same in each of its formats.
import type { Change, Comparison, Kind, Side } from './comparison.ts'
import type { LatencyChange } from './latency.ts'

export interface Compared extends Comparison {
  readonly latency: readonly LatencyChange[]
}

export const headings: Readonly<Record<Kind, string>> = {
  newlyFailing: 'Newly failing',
  newlyWarning: 'Newly warning',
  newlyPassing: 'Newly passing',
  newlyDecided: 'Newly decided',
  newlyUndecided: 'Newly undecided',
  added: 'New checks',
  removed: 'Checks that are gone',
}

/** `pass → untested (key)`; of a check that one run lacks, the one outcome that there is. */
export const turn = ({ was, is, because }: Change): string => {
  const outcomes = [was, is].filter((outcome) => outcome !== null).join(' → ')
  return because === null ? outcomes : `${outcomes} (${because})`
}

const sameAs = ({ changes, observations }: Comparison): boolean =>
  observations.length === 0 && Object.values(changes).every((own) => own.length === 0)

export const verdictOf = (compared: Comparison): string => {
  if (compared.worse) return 'worse'
  return sameAs(compared) ? 'the same' : 'not worse'
}

/** As the run itself tells it: what an interrupted one has seen is no verdict yet. */
const toldVerdict = ({ verdict, interrupted }: Side): string =>
  interrupted ? `interrupted, so far ${verdict}` : verdict

const turned = (was: string | number, is: string | number): string =>
  was === is ? `${is}` : `${was} → ${is}`

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

/** What the two runs were and cost, by name. */
export const facts = ({ old, new: now }: Comparison): readonly (readonly [string, string])[] => [
  ['Verdict', turned(toldVerdict(old), toldVerdict(now))],
  ['Musts decided', `${old.decided.must.join(' of ')} → ${now.decided.must.join(' of ')}`],
  ['Requests', turned(old.requests, now.requests)],
  ['Time', `${seconds(old.durationMs)} → ${seconds(now.durationMs)}`],
  ['Target', now.target],
  ['Runs of', `${old.startedAt} and ${now.startedAt}`],
]

const shownMs = (ms: number): string => (ms >= 100 ? ms.toFixed(0) : ms.toPrecision(2))

export const latencyLine = ({ wasMs, isMs }: LatencyChange): string =>
  `${shownMs(wasMs)} → ${shownMs(isMs)} ms`
