// Text for a terminal: tables, durations, and lines that fit its width.
import { wrapped } from '../../reports/visible.ts'

const maxColumns = 100

/** Null where standard output is no terminal: piped lines are not wrapped. */
export const readingColumns = (): number | null =>
  process.stdout.isTTY ? Math.min(process.stdout.columns || 80, maxColumns) : null

/** A line of prose wrapped into lines with its indentation. */
export const wrapLine = (line: string, columns: number | null): string[] => {
  const [indent = ''] = /^ */.exec(line) ?? []
  return line === '' ? [''] : wrapped(line.slice(indent.length), indent, columns)
}

/** Rows as lines: the first column to the left, the others to the right. */
export const table = (rows: readonly (readonly string[])[]): string[] => {
  const columns = Math.max(...rows.map((row) => row.length))
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  const padded = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
  return rows.map((row) => row.map(padded).join('  ').trimEnd())
}
