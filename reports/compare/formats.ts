// A comparison as text for a terminal, and in Markdown for a comment on a change.
import { code } from '../markdown-text.ts'
import { visible } from '../visible.ts'
import { type Change, type Comparison, type Kind, kinds, type Side } from './comparison.ts'
import type { LatencyChange } from './latency.ts'

export interface Compared extends Comparison {
  readonly latency: readonly LatencyChange[]
}

const headings: Readonly<Record<Kind, string>> = {
  newlyFailing: 'Newly failing',
  newlyWarning: 'Newly warning',
  newlyPassing: 'Newly passing',
  newlyDecided: 'Newly decided',
  newlyUndecided: 'Newly undecided',
  added: 'New checks',
  removed: 'Checks that are gone',
}

/** `pass → untested (key)`; of a check that one run lacks, the one outcome that there is. */
const turn = ({ was, is, because }: Change): string => {
  const outcomes = [was, is].filter((outcome) => outcome !== null).join(' → ')
  return because === null ? outcomes : `${outcomes} (${because})`
}

/** What a fast run has no occasion to judge, and what has a legal explanation, comes by chance. */
const isByChance = ({ was, is, because }: Change): boolean =>
  was === 'inapplicable' || is === 'inapplicable' || because === 'ambiguous'

const sameAs = ({ changes, observations }: Comparison): boolean =>
  observations.length === 0 && Object.values(changes).flat().every(isByChance)

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
const facts = ({ old, new: now }: Comparison): readonly (readonly [string, string])[] => [
  ['Verdict', turned(toldVerdict(old), toldVerdict(now))],
  ['Musts decided', `${old.decided.must.join(' of ')} → ${now.decided.must.join(' of ')}`],
  ['Requests', turned(old.requests, now.requests)],
  ['Time', `${seconds(old.durationMs)} → ${seconds(now.durationMs)}`],
  ['Target', now.target],
  ['Runs of', `${old.startedAt} and ${now.startedAt}`],
]

const shownMs = (ms: number): string => (ms >= 100 ? ms.toFixed(0) : ms.toPrecision(2))

const latencyLine = ({ wasMs, isMs }: LatencyChange): string =>
  `${shownMs(wasMs)} → ${shownMs(isMs)} ms`

const shownMost = 160

const short = (text: string): string => {
  const line = visible(text)
  return line.length <= shownMost ? line : `${line.slice(0, shownMost)}…`
}

/** A heading with its lines, or nothing where there are none. */
const linesOf = (heading: string, each: readonly (readonly string[])[]): string[] =>
  each.length === 0 ? [] : ['', `${heading} (${each.length})`, ...each.flat()]

/** Plain text; the last line is the verdict. */
export const compareText = (compared: Compared): string => {
  const { changes, observations, latency, notes } = compared
  const lines = [
    ...facts(compared).map(([name, value]) => `${name.padEnd(14)} ${visible(value)}`),
    ...latency.map((each) => `${'Latency'.padEnd(14)} ${each.what}: ${latencyLine(each)}`),
    ...notes.map((text) => `${'Note'.padEnd(14)} ${visible(text)}`),
    ...kinds.flatMap((kind) =>
      linesOf(
        headings[kind],
        changes[kind].map((change) => [
          `  ${change.id}  ${turn(change)}, ${change.level}: ${visible(change.requirement)}`,
          ...(kind === 'newlyFailing' || kind === 'newlyWarning'
            ? [`    ${short(change.detail)}`]
            : []),
        ]),
      ),
    ),
    ...linesOf(
      'Observations that changed',
      observations.map(({ id, was, is }) => [`  ${id}: was ${short(was)}, is ${short(is)}`]),
    ),
    '',
    `petvet: ${verdictOf(compared)}`,
  ]
  return `${lines.join('\n')}\n`
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

const tableOf = (heads: readonly string[], rows: readonly (readonly string[])[]): string[] => [
  row(heads),
  row(heads.map(() => '---')),
  ...rows.map(row),
]

const sectionOf = (
  heading: string,
  heads: readonly string[],
  rows: readonly string[][],
): string[] =>
  rows.length === 0 ? [] : ['', `### ${heading} (${rows.length})`, '', ...tableOf(heads, rows)]

/** What came from a target is put into cells as text: it makes no link, picture or HTML. */
export const compareMarkdown = (compared: Compared): string => {
  const { changes, observations, latency, notes } = compared
  const lines = [
    `## petvet: ${verdictOf(compared)}`,
    '',
    ...tableOf(
      ['', 'was → is'],
      [
        ...facts(compared).map(([name, value]) => [name, code(value)]),
        ...latency.map((each) => [`Latency, ${each.what}`, latencyLine(each)]),
      ],
    ),
    ...(notes.length === 0 ? [] : ['', ...notes.map((text) => `- ${code(text)}`)]),
    ...kinds.flatMap((kind) =>
      sectionOf(
        headings[kind],
        ['check', 'outcome', 'now'],
        changes[kind].map((change) => [
          code(change.id),
          `${turn(change)}, ${change.level}`,
          code(change.detail),
        ]),
      ),
    ),
    ...sectionOf(
      'Observations that changed',
      ['check', 'was', 'is'],
      observations.map(({ id, was, is }) => [code(id), code(was), code(is)]),
    ),
  ]
  return `${lines.join('\n')}\n`
}
