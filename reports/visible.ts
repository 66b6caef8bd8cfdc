// Text made fit for a terminal or XML: control characters escaped, long lines broken, rows aligned.
import { startOf, unsafe, withoutCommands } from '../history/quote.ts'

/** One line: line breaks too become `\n`. */
export const visible = (text: string): string => withoutCommands(text.replace(unsafe, escaped))

const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const escaped = (character: string): string =>
  shortEscapes[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/** JSON in lines, with control characters and CI commands escaped. */
export const inertJson = (value: unknown): string =>
  withoutCommands(`${JSON.stringify(value, null, 2)}\n`, 'json').replace(
    /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** At most so many characters, and an ellipsis where more are left out. */
export const cut = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : `${startOf(text, maxLength)}…`

/** In a narrower column the terminal itself may break the lines. */
const minWrapWidth = 24

/**
 * A text in lines that fit a terminal.
 * @param head the beginning of the first line; the others are indented by its length
 * @param columns the width of the terminal; null: no terminal, so one line
 */
export const wrapped = (text: string, head: string, columns: number | null): string[] => {
  if (text === '') return []
  const width = columns === null ? 0 : columns - head.length
  if (width < minWrapWidth) return [`${head}${text}`]
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (longer.length <= width || line === '') line = longer
    else {
      lines.push(line)
      line = word
    }
  }
  lines.push(line)
  return lines.map((each, at) => `${at === 0 ? head : ' '.repeat(head.length)}${each}`)
}

/** A line of prose wrapped into lines with its indentation. */
export const wrapLine = (line: string, columns: number | null): string[] => {
  const [indent = ''] = /^ */.exec(line) ?? []
  return line === '' ? [''] : wrapped(line.slice(indent.length), indent, columns)
}

/** Rows as lines: the first column to the left, the others to the right. */
export const aligned = (rows: readonly (readonly string[])[]): string[] => {
  const columns = Math.max(...rows.map((row) => row.length))
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  const padded = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
  return rows.map((row) => row.map(padded).join('  ').trimEnd())
}
