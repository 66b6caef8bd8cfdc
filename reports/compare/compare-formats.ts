// A comparison as text for a terminal, and in Markdown for a comment on a change.
import { count } from '../../engine/check/quote.ts'
import type { Cause } from '../../engine/check/run-file.ts'
import { code, plain, section, table } from '../markdown-text.ts'
import { inSeconds, verdictInWords } from '../summary.ts'
import { cut, visible } from '../visible.ts'
import { type Change, type Comparison, headings, type Kind } from './comparison.ts'

const transition = (was: string | number, is: string | number): string =>
  was === is ? `${is}` : `${was} → ${is}`

/** An inapplicable check and an ambiguous response depend on chance, not on the server. */
const isByChance = ({ was, is, because }: Change): boolean =>
  was === 'inapplicable' || is === 'inapplicable' || because === 'ambiguous'

export const compareVerdict = ({ worse, changes, observations }: Comparison): string => {
  if (worse) return 'worse'
  const isSame = observations.length === 0 && Object.values(changes).flat().every(isByChance)
  return isSame ? 'the same' : 'not worse'
}

const sideVerdict = (side: Comparison['old']): string =>
  `${side.interrupted ? 'interrupted, ' : ''}${verdictInWords(side)}`

const shownMs = (ms: number): string => (ms >= 100 ? ms.toFixed(0) : ms.toPrecision(2))

/** What the two runs were and cost, by name. */
const facts = ({ old, new: now, latency, notes }: Comparison): [name: string, value: string][] => [
  ['Verdict', transition(sideVerdict(old), sideVerdict(now))],
  ['Musts tested', `${old.decided.must.join(' of ')} → ${now.decided.must.join(' of ')}`],
  ['Requests', transition(old.requests, now.requests)],
  ['Time', `${inSeconds(old.durationMs)} → ${inSeconds(now.durationMs)}`],
  ['Target', now.target],
  ['Runs of', `${old.startedAt} and ${now.startedAt}`],
  ...latency.map(({ percentile, oldMs, newMs }): [string, string] => [
    'Latency',
    `${percentile}: ${shownMs(oldMs)} → ${shownMs(newMs)} ms`,
  ]),
  ...notes.map((text): [string, string] => ['Note', text]),
]

/** What changed, how, and what that is about. */
type Row = readonly [what: string, how: string, detail: string]

/** The outcomes as `pass → untested (key)`; one where only one run has the check. */
const changeRow = ({ id, was, is, because, level, requirement, detail }: Change): Row => {
  const outcomes = [was, is].filter((outcome) => outcome !== null).join(' → ')
  const why = because === null ? '' : ` (${because})`
  return [id, `${outcomes}${why}, ${level}: ${requirement}`, detail]
}

const causeRow = ({ observed, explains }: Cause): Row => [
  observed,
  count(explains.length, 'failure', 'failures'),
  explains.join(', '),
]

const changesOf = ({ causes, changes, observations }: Comparison): [string, readonly Row[]][] => [
  ['Headlines that are gone', causes.fixed.map(causeRow)],
  ['New headlines', causes.new.map(causeRow)],
  ...Object.entries(headings).map(([kind, heading]): [string, Row[]] => [
    heading,
    changes[kind as Kind].map(changeRow),
  ]),
  [
    'Observations that changed',
    observations.map(({ id, was, is }): Row => [id, 'observed', `${was} → ${is}`]),
  ],
]

const maxTextCharacters = 160

/** Plain text; the last line is the verdict. */
export const compareText = (compared: Comparison): string => {
  const lines = [
    ...facts(compared).map(([name, value]) => `${name.padEnd(14)} ${visible(value)}`),
    ...changesOf(compared).flatMap(([heading, rows]) => {
      if (rows.length === 0) return []
      const listed = rows.flatMap(([what, how, detail]) => [
        `  ${visible(what)}  ${how}`,
        ...(detail === '' ? [] : [`    ${cut(visible(detail), maxTextCharacters)}`]),
      ])
      return ['', `${heading} (${rows.length})`, ...listed]
    }),
    '',
    `petvet: ${compareVerdict(compared)}`,
  ]
  return `${lines.join('\n')}\n`
}

export const compareMarkdown = (compared: Comparison): string =>
  [
    `## petvet: ${compareVerdict(compared)}\n`,
    table(
      ['', 'was → is'],
      facts(compared).map(([name, value]) => [name, code(value)]),
    ),
    ...changesOf(compared).map(([heading, rows]) =>
      section(
        heading,
        ['what', 'how', 'detail'],
        rows.map(([what, how, detail]) => [code(what), plain(how), code(detail)]),
      ),
    ),
  ]
    .filter((part) => part !== '')
    .join('\n')
