// A comparison as text for a terminal, and in Markdown for a comment on a change.
import { count } from '../../engine/record/text.ts'
import type { Cause } from '../../engine/run-file.ts'
import { code, plain, section, table } from '../markdown-text.ts'
import { inSeconds } from '../summary.ts'
import { visible } from '../visible.ts'
import {
  type Change,
  type Comparison,
  type Kind,
  kinds,
  type LatencyChange,
  type Side,
} from './comparison.ts'

export interface Compared extends Comparison {
  readonly latency: readonly LatencyChange[]
}

const headings: Readonly<Record<Kind, string>> = {
  newlyFailing: 'Newly failing',
  newlyWarning: 'Newly warning',
  newlyPassing: 'Newly passing',
  newlyDecided: 'Newly tested',
  newlyUndecided: 'No longer tested',
  added: 'New checks',
  removed: 'Removed checks',
}

const transition = (was: string | number, is: string | number): string =>
  was === is ? `${is}` : `${was} → ${is}`

/** `pass → untested (key)`; the one outcome of a check that only one run has. */
const outcomesOf = ({ was, is, because }: Change): string => {
  const outcomes = [was, is].filter((outcome) => outcome !== null).join(' → ')
  return because === null ? outcomes : `${outcomes} (${because})`
}

/** An inapplicable check and an ambiguous response depend on chance, not on the server. */
const isByChance = ({ was, is, because }: Change): boolean =>
  was === 'inapplicable' || is === 'inapplicable' || because === 'ambiguous'

export const verdictOf = ({ worse, changes, observations }: Comparison): string => {
  if (worse) return 'worse'
  const isSame = observations.length === 0 && Object.values(changes).flat().every(isByChance)
  return isSame ? 'the same' : 'not worse'
}

const sideVerdict = ({ verdict, interrupted }: Side): string =>
  interrupted ? `interrupted, so far ${verdict}` : verdict

const shownMs = (ms: number): string => (ms >= 100 ? ms.toFixed(0) : ms.toPrecision(2))

/** What the two runs were and cost, by name. */
const facts = ({ old, new: now }: Compared): readonly (readonly [string, string])[] => [
  ['Verdict', transition(sideVerdict(old), sideVerdict(now))],
  ['Musts tested', `${old.decided.must.join(' of ')} → ${now.decided.must.join(' of ')}`],
  ['Requests', transition(old.requests, now.requests)],
  ['Time', `${inSeconds(old.durationMs)} → ${inSeconds(now.durationMs)}`],
  ['Target', now.target],
  ['Runs of', `${old.startedAt} and ${now.startedAt}`],
]

const latencyLine = ({ wasMs, isMs }: LatencyChange): string =>
  `${shownMs(wasMs)} → ${shownMs(isMs)} ms`

const maxTextCharacters = 160

const short = (text: string): string => {
  const line = visible(text)
  return line.length <= maxTextCharacters ? line : `${line.slice(0, maxTextCharacters)}…`
}

const listed = (heading: string, entries: readonly (readonly string[])[]): string[] =>
  entries.length === 0 ? [] : ['', `${heading} (${entries.length})`, ...entries.flat()]

const causeHeadings = [
  ['fixed', 'Causes fixed'],
  ['new', 'New causes'],
] as const

const explained = ({ mutant, confidence, explains }: Cause): string => {
  const failures = count(explains.length, 'failure', 'failures')
  return mutant === null ? failures : `${failures}, confidence ${confidence}`
}

/** Plain text; the last line is the verdict. */
export const compareText = (compared: Compared): string => {
  const { changes, causes, observations, latency, notes } = compared
  const lines = [
    ...facts(compared).map(([name, value]) => `${name.padEnd(14)} ${visible(value)}`),
    ...latency.map((each) => `${'Latency'.padEnd(14)} ${each.what}: ${latencyLine(each)}`),
    ...notes.map((text) => `${'Note'.padEnd(14)} ${visible(text)}`),
    ...causeHeadings.flatMap(([which, heading]) =>
      listed(
        heading,
        causes[which].map((cause) => [
          `  ${visible(cause.fault)} (${explained(cause)})`,
          `    ${cause.explains.join(', ')}`,
        ]),
      ),
    ),
    ...kinds.flatMap((kind) =>
      listed(
        headings[kind],
        changes[kind].map((change) => [
          `  ${change.id}  ${outcomesOf(change)}, ${change.level}: ${visible(change.requirement)}`,
          ...(kind === 'newlyFailing' || kind === 'newlyWarning'
            ? [`    ${short(change.detail)}`]
            : []),
        ]),
      ),
    ),
    ...listed(
      'Observations that changed',
      observations.map(({ id, was, is }) => [`  ${id}: was ${short(was)}, is ${short(is)}`]),
    ),
    '',
    `petvet: ${verdictOf(compared)}`,
  ]
  return `${lines.join('\n')}\n`
}

export const compareMarkdown = (compared: Compared): string => {
  const { changes, causes, observations, latency, notes } = compared
  const overview = table(
    ['', 'was → is'],
    [
      ...facts(compared).map(([name, value]) => [name, code(value)]),
      ...latency.map((each) => [`Latency, ${each.what}`, latencyLine(each)]),
    ],
  )
  const parts = [
    `## petvet: ${verdictOf(compared)}\n`,
    overview,
    notes.map((text) => `- ${code(text)}\n`).join(''),
    ...causeHeadings.map(([which, heading]) =>
      section(
        heading,
        ['cause', 'explains', 'checks'],
        causes[which].map((cause) => [
          plain(cause.fault),
          explained(cause),
          cause.explains.map(code).join(', '),
        ]),
      ),
    ),
    ...kinds.map((kind) =>
      section(
        headings[kind],
        ['check', 'outcome', 'now'],
        changes[kind].map((change) => [
          code(change.id),
          `${outcomesOf(change)}, ${change.level}`,
          code(change.detail),
        ]),
      ),
    ),
    section(
      'Observations that changed',
      ['check', 'was', 'is'],
      observations.map(({ id, was, is }) => [code(id), code(was), code(is)]),
    ),
  ]
  return parts.filter((part) => part !== '').join('\n')
}
