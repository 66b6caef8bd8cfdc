// How wide a text is told: as wide as a reader likes it, where there is a terminal.
import { wrapped } from '../reports/visible.ts'

const widest = 100

/** Null where nobody reads along: what is piped has its lines as they are. */
export const readingColumns = (): number | null =>
  process.stdout.isTTY ? Math.min(process.stdout.columns || 80, widest) : null

/** A line of prose in lines that fit, all of them set in as it is. */
export const fitted = (line: string, columns: number | null): string[] => {
  const [indent = ''] = /^ */.exec(line) ?? []
  return line === '' ? [''] : wrapped(line.slice(indent.length), indent, columns)
}

/** Paragraphs of prose, with tables among them, which stay as they are. */
export const flowed = (text: string, columns: number | null): string => {
  if (columns === null) return text
  const paragraphs = text.split('\n\n').map((paragraph) => {
    const lines = paragraph.split('\n')
    const isTable = lines.some((line) => /\S {2,}\S/.test(line))
    if (isTable || lines.every((line) => line.length <= columns)) return paragraph
    const whole = paragraph.replace(/\n(?=[^ \n])/g, ' ').split('\n')
    return whole.flatMap((line) => fitted(line, columns)).join('\n')
  })
  return paragraphs.join('\n\n')
}
