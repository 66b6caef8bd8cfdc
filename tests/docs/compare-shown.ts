// Whether an output is as a page shows it: word for word except numbers, and where `...` is.

/** Numbers differ from run to run and from machine to machine; words do not. */
const masked = (line: string): string =>
  line
    .replace(/petvet-[0-9a-f]{8}\b/g, 'petvet-#')
    .replace(/\d+/g, '#')
    .replace(/ +/g, ' ')
    .trimEnd()

const matches = (shown: string, line: string): boolean => {
  const [begin = '', ...rest] = masked(shown).split('...')
  if (rest.length === 0) return masked(line) === begin
  // Inside a line `...` is the rest of it.
  return masked(line).startsWith(begin.trimEnd())
}

/** @returns the first shown line that the output lacks, or null where all is as shown */
export const missingIn = (output: string, shown: string): string | null => {
  const lines = output.split('\n')
  let at = 0
  let isFree = false
  for (const wanted of shown.trimEnd().split('\n')) {
    if (wanted === '...') {
      isFree = true
      continue
    }
    const found = isFree
      ? lines.findIndex((line, place) => place >= at && matches(wanted, line))
      : matches(wanted, lines[at] ?? '')
        ? at
        : -1
    if (found < 0) return wanted
    at = found + 1
    isFree = false
  }
  return null
}
