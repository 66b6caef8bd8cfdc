// Text of a target in Markdown: as a code span it makes no link, picture, mention or HTML.
import { visible } from './visible.ts'

const shownMost = 300

/** The longest row of backticks in a text. */
const longestRow = (text: string): number =>
  Math.max(0, ...[...text.matchAll(/`+/g)].map(([row]) => row.length))

/** A code span for the cell of a table: one line, cut, with fences longer than any row in it. */
export const code = (text: string): string => {
  const line = visible(text).trim()
  if (line === '') return '(empty)'
  const cut = line.length <= shownMost ? line : `${line.slice(0, shownMost)}…`
  const fence = '`'.repeat(longestRow(cut) + 1)
  const pad = cut.startsWith('`') || cut.endsWith('`') ? ' ' : ''
  // A table is cut into cells before code is looked for.
  return `${fence}${pad}${cut.replaceAll('|', '\\|')}${pad}${fence}`
}

/** Words of ours outside of a code span: what would be a sign of Markdown is escaped. */
export const plain = (text: string): string =>
  visible(text).replace(/[\\`*_{}[\]<>#|~@&]/g, (sign) => `\\${sign}`)

const mostOfBlock = 4_000

/** Lines in a fence that is longer than any row in them. */
export const block = (language: string, lines: readonly string[]): string => {
  const told = lines.map((line) => visible(line.slice(0, mostOfBlock))).join('\n')
  const fence = '`'.repeat(Math.max(3, longestRow(told) + 1))
  return `${fence}${language}\n${told}\n${fence}\n`
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

/** @param rows cells of Markdown; what came from a target goes through `code` before */
export const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(heads), row(heads.map(() => '---')), ...rows.map(row), ''].join('\n')
