// A line as it is typed into bash, up to the cursor, taken apart into words.

export interface Typed {
  readonly words: readonly string[]
  /** The one at the cursor. */
  readonly word: string
  /** How much of it bash keeps: it replaces only what follows the last of its word breaks. */
  readonly cut: number
}

const lineMost = 16_384

/** Blanks, a text in quotes that may still be open, an escaped character, and plain ones. */
const pieces = /\s+|'([^']*)'?|"([^"]*)"?|\\(.?)|[^\s'"\\]+/gs

/**
 * The first word is the program's own, and left out; a variable or a command in it stays text.
 * @param asked the line, the place of the cursor in it, and the characters that break a word
 */
export const typedWords = ([text = '', point = '', breaks = '']: readonly string[]): Typed => {
  // The cursor is told in bytes, as the line's own length is to bash.
  const line = Buffer.from(text)
    .subarray(0, Number(point) || 0)
    .toString()
    .slice(0, lineMost)
  const all: string[] = []
  let last = nothing
  for (const [piece, single, double, escaped] of line.matchAll(pieces)) {
    const quoted = single ?? double
    if (!/^\s/.test(piece)) last = joined(last, quoted ?? escaped ?? piece, quoted !== undefined)
    else if (last !== nothing) {
      all.push(last.word)
      last = nothing
    }
  }
  const plainBreaks = [...breaks].filter((each) => !/[\s"']/.test(each))
  const cut = Math.max(0, ...plainBreaks.map((each) => last.word.lastIndexOf(each) + 1))
  return { words: all.slice(1), word: last.word, cut: last.isQuoted ? 0 : cut }
}

interface Word {
  readonly word: string
  readonly isQuoted: boolean
}

const nothing: Word = { word: '', isQuoted: false }

const joined = (last: Word, text: string, isQuoted: boolean): Word => ({
  word: last.word + text,
  isQuoted: last.isQuoted || isQuoted,
})
