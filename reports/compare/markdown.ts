// A comparison in Markdown, for a comment on a change.

import { code } from '../markdown-text.ts'
import { kinds } from './comparison.ts'
import { type Compared, facts, headings, latencyLine, turn, verdictOf } from './words.ts'

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

const tableOf = (heads: readonly string[], rows: readonly (readonly string[])[]): string[] => [
  row(heads),
  row(heads.map(() => '---')),
  ...rows.map(row),
]

const part = (heading: string, heads: readonly string[], rows: readonly string[][]): string[] =>
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
      part(
        headings[kind],
        ['check', 'outcome', 'now'],
        changes[kind].map((change) => [
          code(change.id),
          `${turn(change)}, ${change.level}`,
          code(change.detail),
        ]),
      ),
    ),
    ...part(
      'Observations that changed',
      ['check', 'was', 'is'],
      observations.map(({ id, was, is }) => [code(id), code(was), code(is)]),
    ),
  ]
  return `${lines.join('\n')}\n`
}
