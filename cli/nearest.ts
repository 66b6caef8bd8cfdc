// The word nearest to a misspelt one.

/** Undefined where none is near: more than a third of the letters differ. */
export const nearest = (word: string, known: readonly string[]): string | undefined => {
  const [best] = known
    .map((each) => ({ each, far: distance(word, each) }))
    .sort((a, b) => a.far - b.far)
  return best && best.far <= Math.ceil(word.length / 3) ? best.each : undefined
}

/** Letters to put in, take out or change; words beyond a line's length are not worth it. */
const distance = (a: string, b: string): number => {
  if (a.length > 100 || b.length > 100) return Number.POSITIVE_INFINITY
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
