// A text in lines that fit a terminal, all of them under the first.

/** A narrower column is hard to read; then the terminal itself may break the lines. */
const leastWidth = 24

/**
 * @param head stands before the first line; the others are set in by as much
 * @param columns how wide the terminal is; null: no terminal, and so one line
 */
export const wrapped = (text: string, head: string, columns: number | null): string[] => {
  if (text === '') return []
  const width = columns === null ? 0 : columns - head.length
  if (width < leastWidth) return [`${head}${text}`]
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
