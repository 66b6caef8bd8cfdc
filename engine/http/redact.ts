// Keys, and header values from the environment, are replaced here, at the one place that writes, by
// the shell expression of their value.

import { requirement, requirementIds } from '../../spec/requirements.ts'
import type { Forgery } from '../check/context.ts'
import {
  bareSpellings,
  base64Cores,
  firstVariable,
  hexBegin,
  hexCores,
  inHex,
  inNumbers,
  longestSpelling,
  numberCores,
  numbersBegin,
  type Reading,
  unescaped,
} from './spellings.ts'

/** A piece of a text: verbatim, or a shell expression in place of a secret of that length. */
type Piece = { readonly text: string } | { readonly shell: string; readonly length: number }

/** What stands for a key in all that is written. */
const keyVariable = `$${firstVariable}`

const longestFirst = (texts: Iterable<string>): string[] =>
  [...texts].sort((a, b) => b.length - a.length)

const joined = (pieces: readonly Piece[]): string =>
  pieces.map((piece) => ('shell' in piece ? piece.shell : piece.text)).join('')

/** Without so many characters at the end; shell expressions stay. */
const withoutEnd = (pieces: readonly Piece[], characters: number): Piece[] => {
  let left = characters
  return pieces
    .toReversed()
    .map((piece) => {
      if ('shell' in piece) return piece
      const text = piece.text.slice(0, Math.max(0, piece.text.length - left))
      left = Math.max(0, left - piece.text.length)
      return { text }
    })
    .reverse()
}

/** A long text is read window by window, as reading its escapes takes memory meanwhile. */
const windowLength = 65_536
/**
 * The pieces of a text that begin in each window, which ends where the next one begins.
 * @param overlap so much more is read, which is more than a secret takes however it is spelt
 */
const inWindows = (
  text: string,
  overlap: number,
  piecesOf: (window: string) => readonly Piece[],
): Piece[] => {
  const all: Piece[] = []
  for (let from = 0; from < text.length; ) {
    const end = from + windowLength + overlap < text.length ? from + windowLength : text.length
    for (const piece of piecesOf(text.slice(from, end + overlap))) {
      if (from >= end) break
      const kept = 'text' in piece ? { text: piece.text.slice(0, end - from) } : piece
      all.push(kept)
      from += 'text' in kept ? kept.text.length : kept.length
    }
  }
  return all
}

interface Finding {
  readonly isAnyCase?: boolean
  /** Whether a plus sign may be a space, as in a form. */
  readonly isForm?: boolean
  /** What is next to a secret and hidden as well, before and after it. */
  readonly around?: string
  /** A pattern of how a secret begins in a text that was not read: rules most texts out. */
  readonly beginOf?: (secret: string) => string
}

/** Finds secrets in one spelling, each with the shell expression that replaces it. */
const createFinder = (read: (text: string) => Reading, how: Finding = {}) => {
  const { isAnyCase = false, isForm = false, around = '', beginOf } = how
  const shells = new Map<string, string>()
  // The whole pattern takes much longer than what rules most texts out.
  let [begin, probe, pattern] = [/(?!)/, /(?!)/, /(?!)/]
  const keyOf = (found: string) => {
    const key = isAnyCase ? found.toLowerCase() : found
    return isForm ? key.replaceAll('+', ' ') : key
  }
  const sourceOf = (key: string) => {
    const source = RegExp.escape(key)
    return isForm ? source.replaceAll(RegExp.escape(' '), '[ +]') : source
  }
  const add = (secret: string, shell: string) => {
    const key = keyOf(secret)
    if (key === '') return
    if (!shells.has(key)) shells.set(key, shell)
    const secrets = longestFirst(shells.keys())
    const sources = secrets.map(sourceOf).join('|')
    begin = beginOf ? new RegExp(secrets.map(beginOf).join('|'), 'i') : /^/
    probe = new RegExp(sources, isAnyCase ? 'i' : '')
    pattern = new RegExp(`${around}(${sources})${around}`, isAnyCase ? 'gi' : 'g')
  }
  const piecesOf = (text: string, reading: Reading): Piece[] => {
    const { from, to } = reading.places?.() ?? {}
    const found: Piece[] = []
    let done = 0
    for (const match of reading.text.matchAll(pattern)) {
      const end = match.index + match[0].length
      const start = from?.[match.index] ?? match.index
      if (start > done) found.push({ text: text.slice(done, start) })
      done = to?.[end - 1] ?? end
      const shell = shells.get(keyOf(match[1] ?? '')) ?? keyVariable
      found.push({ shell, length: done - start })
    }
    if (done < text.length) found.push({ text: text.slice(done) })
    return found
  }
  const split = (text: string): Piece[] => {
    if (shells.size === 0 || !begin.test(text)) return [{ text }]
    const reading = read(text)
    return probe.test(reading.text) ? piecesOf(text, reading) : [{ text }]
  }
  return { add, split, has: (text: string) => probe.test(text) }
}

const asItIs = (text: string): Reading => ({ text })

const minAnyCaseLength = 8

/** Short texts, mostly headers, recur: their redaction is remembered, up to so many of them. */
const maxRememberedCharacters = 64
const maxRemembered = 1_000

export interface Redactor {
  /** Hides a key, or another secret, which a shell expression of its own then replaces. */
  readonly hideKey: (key: string, shell?: string) => void
  /** Hides a text that was derived from a key. */
  readonly hideForgery: (text: string, shell: string) => void
  readonly pieces: (text: string) => Piece[]
  readonly redact: (text: string) => string
  /** For a text that was cut: its end may be the beginning of a key. */
  readonly redactCut: (text: string) => string
}

export const createRedactor = (): Redactor => {
  // Several look at the same text.
  let last = { text: '', reading: unescaped('') }
  const readOnce = (text: string) => {
    if (text !== last.text) last = { text, reading: unescaped(text) }
    return last.reading
  }
  // Whole keys go first: a forgery that is a part of a key must not leave its other part showing.
  const keys = createFinder(asItIs)
  const escaped = createFinder(readOnce, { isForm: true })
  // A text that we derived in base64 is replaced by its own expression, not by that of the key.
  const wrapped = createFinder(asItIs)
  const base64 = createFinder(readOnce, { around: '[\\w+/=-]{0,3}' })
  const hex = createFinder(inHex, {
    ...{ isAnyCase: true, around: '(?:[\\da-f]{2})?', beginOf: hexBegin },
  })
  const numbers = createFinder(inNumbers, { around: '(?:,\\d+)?', beginOf: numbersBegin })
  const forgeries = createFinder(asItIs)
  const escapedForgeries = createFinder(readOnce, { isForm: true })
  // The name of a header may hold a key, and may come in lower case.
  const inAnyCase = createFinder(asItIs, { isAnyCase: true })
  const escapedInAnyCase = createFinder(readOnce, { isAnyCase: true, isForm: true })
  const ofKeys = [keys, escaped, wrapped, base64, hex, numbers]
  const finders = [...ofKeys, forgeries, escapedForgeries, inAnyCase, escapedInAnyCase]
  // By the longest spelling of all that is hidden, in characters.
  let longest = 0
  const piecesOf = (text: string): Piece[] =>
    finders.reduce<Piece[]>(
      (all, { split }) => all.flatMap((piece) => ('text' in piece ? split(piece.text) : piece)),
      [{ text }],
    )
  const pieces = (text: string): Piece[] => inWindows(text, 2 * longest, piecesOf)
  const remembered = new Map<string, string>()
  const redact = (text: string): string => {
    if (text.length > maxRememberedCharacters) return joined(pieces(text))
    const known = remembered.get(text)
    if (known !== undefined) return known
    const redacted = joined(pieces(text))
    if (remembered.size >= maxRemembered) remembered.clear()
    remembered.set(text, redacted)
    return redacted
  }
  const redactCut = (text: string): string => joined(withoutEnd(pieces(text), longest))
  const hideForgery = (text: string, shell: string) => {
    remembered.clear()
    const verbatim = base64.has(text) ? wrapped : forgeries
    verbatim.add(text, shell)
    verbatim.add(Buffer.from(text).toString('base64'), shell)
    for (const spelling of bareSpellings(text)) escapedForgeries.add(spelling, shell)
    longest = Math.max(longest, longestSpelling(text))
  }
  const hideKey = (key: string, shell = keyVariable) => {
    remembered.clear()
    keys.add(key, shell)
    for (const spelling of bareSpellings(key)) escaped.add(spelling, shell)
    for (const core of base64Cores(key)) base64.add(core, shell)
    for (const core of hexCores(key)) hex.add(core, shell)
    for (const core of numberCores(key)) numbers.add(core, shell)
    // A shorter one may be a part of any name, as `date` is.
    if (key.length >= minAnyCaseLength) {
      inAnyCase.add(key, shell)
      for (const spelling of bareSpellings(key)) escapedInAnyCase.add(spelling, shell)
    }
    longest = Math.max(longest, longestSpelling(key))
  }
  return { hideKey, hideForgery, pieces, redact, redactCut }
}

/** What reports are full of. */
const ownText = requirementIds
  .map((id) => `${id} ${requirement(id).says}`)
  .join(' ')
  .toLowerCase()

const isOwnWord = (text: string): boolean => ownText.includes(text.toLowerCase())

/** A shorter part of a key is met by chance. */
const minPartLength = 8
/** A shorter key has parts that are not hidden. */
const minKeyLength = 12

/** What reports cannot hide of a key, or hide too much for it. */
export const keyNotes = (keys: readonly { readonly key: string; readonly label: string }[]) =>
  keys.flatMap(({ key, label }) => {
    const it = `the key of ${label} is`
    if (isOwnWord(key)) return [`${it} an ordinary word, which reports replace everywhere`]
    if (key.length >= minKeyLength) return []
    return [`${it} shorter than ${minKeyLength} characters: reports may show a part of it`]
  })

/** Derives a text from a key and hides it, unless it is a part that may be any word. */
export const forgeWith =
  (redactor: Redactor, key: string, variable = firstVariable) =>
  ({ of, shell }: Forgery): string => {
    const made = of(key)
    const isWord = made.length < minPartLength || isOwnWord(made)
    if (made !== key && !(isWord && key.includes(made))) {
      redactor.hideForgery(made, shell.replaceAll(firstVariable, variable))
    }
    return made
  }
