// The word nearest to a misspelt one, and the hint that names it.

/** Undefined where none is near: more than a third of the letters differ. */
export const nearest = (word: string, known: readonly string[]): string | undefined => {
  const [best] = known
    .map((each) => ({ each, far: distance(word, each) }))
    .sort((a, b) => a.far - b.far)
  return best && best.far <= Math.ceil(word.length / 3) ? best.each : undefined
}

/** What a message ends with: the nearest word, or another hint where none is near. */
export const didYouMean = (word: string, known: readonly string[], otherwise?: string): string => {
  const meant = nearest(word, known)
  const hint = meant ? `did you mean ${meant}?` : otherwise
  return hint === undefined ? '' : `; ${hint}`
}

/** Letters to put in, take out, change, or swap; words beyond a line's length are not worth it. */
const distance = (a: string, b: string): number => {
  if (a.length > 100 || b.length > 100) return Number.POSITIVE_INFINITY
  let rows: Rows = { above: [], row: Array.from({ length: b.length + 1 }, (_, index) => index) }
  for (let i = 1; i <= a.length; i++) rows = { above: rows.row, row: nextRow(a, b, i, rows) }
  return rows.row[b.length] ?? 0
}

interface Rows {
  readonly above: readonly number[]
  readonly row: readonly number[]
}

const nextRow = (a: string, b: string, i: number, { above, row }: Rows): readonly number[] => {
  const next = [i]
  const cell = (cells: readonly number[], j: number) => cells[j] ?? Number.POSITIVE_INFINITY
  for (let j = 1; j <= b.length; j++) {
    const changed = cell(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
    const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
    const swapped = isSwap ? cell(above, j - 2) + 1 : changed
    next.push(Math.min(changed, swapped, cell(row, j) + 1, cell(next, j - 1) + 1))
  }
  return next
}
