// How a sentence of ours is written that quotes the target: cut only once keys are hidden, and
// without commands to a CI runner.

import type { Redactor } from './redact.ts'

/** `1 request`, `2 requests`, `0 requests`. */
export const count = (number: number, one: string, many: string): string =>
  `${number} ${number === 1 ? one : many}`

const commands = /##(?=\w*\[)/g

/** How the second `#` of a command is spelt, so that no runner obeys it. */
const spelt = { text: '\\u{23}', json: '\\u0023', html: '&#35;' } as const

/** @param form JSON and HTML say the same afterwards */
export const withoutCommands = (text: string, form: keyof typeof spelt = 'text'): string =>
  text.replace(commands, `#${spelt[form]}`)

/** So much is carried; the rest of a long body stands in the record of its exchange. */
const carriedMost = 16 * 1024

// JSON escapes both, so that no text ends its own quotation.
const begin = '\u0002'
const end = '\u0003'

const quotations = new RegExp(`${begin}([^${begin}${end}]*)${end}`)

interface Quotation {
  /** Its beginning, if it is longer than is carried. */
  readonly text: string
  /** Of the whole. */
  readonly characters: number
  readonly shownMost: number
}

/** In one line, as JSON escapes it. */
const lineOf = (text: string): string => JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')

/**
 * A text of the target to stand in a sentence, which is no text to show before `write` has seen it:
 * half a key, where a text was cut, is not known as a key any more.
 * @param shownMost characters; a longer text is cut there
 */
export const quote = (text: string, shownMost: number): string => {
  const carried = text.slice(0, carriedMost)
  // It needs neither cutting nor escaping.
  if (text.length <= shownMost && lineOf(text) === text) return text
  const quotation: Quotation = { text: carried, characters: text.length, shownMost }
  return `${begin}${JSON.stringify(quotation)}${end}`
}

const shown = ({ text, characters, shownMost }: Quotation, redactor: Redactor): string => {
  const isWhole = characters === text.length
  const hidden = isWhole ? redactor.redact(text) : redactor.redactCut(text)
  const line = lineOf(hidden.slice(0, 2 * shownMost))
  return isWhole && hidden.length <= shownMost && line.length <= shownMost
    ? line
    : `${line.slice(0, shownMost)}… (${characters} characters)`
}

const quotationIn = (piece: string): Quotation | undefined => {
  try {
    const { text, characters, shownMost } = JSON.parse(piece)
    const isOne = typeof text === 'string' && [characters, shownMost].every(Number.isInteger)
    return isOne ? { text, characters, shownMost } : undefined
  } catch {
    // A header of the target may hold our signs.
    return undefined
  }
}

/** A sentence as it is written anywhere: without keys or commands, and with what it quotes cut. */
export const write = (sentence: string, redactor: Redactor): string =>
  withoutCommands(
    sentence
      .split(quotations)
      .map((piece, at) => {
        const quotation = at % 2 === 1 ? quotationIn(piece) : undefined
        return quotation ? shown(quotation, redactor) : redactor.redact(piece)
      })
      .join(''),
  )
