// Text of a target in Markdown: as a code span it makes no link, picture, mention or HTML.
import { visible } from './visible.ts'

const maxCodeCharacters = 300

/** The longest run of backticks in a text. */
const longestBackticks = (text: string): number =>
  Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))

/** A code span for a table cell: one line, cut, with fences longer than any run inside. */
export const code = (text: string): string => {
  const line = visible(text).trim()
  if (line === '') return '(empty)'
  const cut = line.length <= maxCodeCharacters ? line : `${line.slice(0, maxCodeCharacters)}…`
  const fence = '`'.repeat(longestBackticks(cut) + 1)
  const pad = cut.startsWith('`') || cut.endsWith('`') ? ' ' : ''
  // A table is split into cells before code spans are parsed.
  return `${fence}${pad}${cut.replaceAll('|', '\\|')}${pad}${fence}`
}

/** Our own words outside of a code span, with Markdown's special characters escaped. */
export const plain = (text: string): string =>
  visible(text).replace(/[\\`*_{}[\]<>#|~@&]/g, (character) => `\\${character}`)

const maxLineCharacters = 4_000

/** A code block with a fence longer than any run of backticks inside. */
export const block = (language: string, lines: readonly string[]): string => {
  const text = lines.map((line) => visible(line.slice(0, maxLineCharacters))).join('\n')
  const fence = '`'.repeat(Math.max(3, longestBackticks(text) + 1))
  return `${fence}${language}\n${text}\n${fence}\n`
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

/** @param rows cells in Markdown; text of a target has to pass through `code` first */
export const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(heads), row(heads.map(() => '---')), ...rows.map(row), ''].join('\n')

/** A heading with the number of rows and their table; empty if there are none. */
export const section = (
  title: string,
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): string => (rows.length === 0 ? '' : `### ${title} (${rows.length})\n\n${table(heads, rows)}`)
