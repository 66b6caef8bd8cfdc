// Keys, and header values from the environment, are replaced here, at the one place that writes, by
// the shell expression of their value.

import { requirement, requirementIds } from '../../spec/requirements.ts'
import type { Forgery } from '../check/context.ts'
import {
  base64Core,
  base64Pattern,
  escapedPattern,
  firstVariable,
  keyEnd,
  listPattern,
  listShape,
  longestSpelling,
  mayEscape,
} from './key-patterns.ts'

/** A piece of a text: verbatim, or a shell expression in place of a secret. */
type Piece = { readonly text: string } | { readonly shell: string }

/** What stands for a key in all that is written. */
export const keyVariable = `$${firstVariable}`

/** A target may send a derived text back escaped for a URL or JSON. */
const spellingsOf = (secret: string): string[] => {
  const escaped = encodeURIComponent(secret)
  return [
    secret,
    escaped,
    escaped.replace(/%../g, (spelt) => spelt.toLowerCase()),
    // JSON may escape a slash, and a message that quotes JSON escapes what escapes.
    secret.replaceAll('/', '\\/'),
    secret.replaceAll('/', '\\\\/'),
    Buffer.from(secret).toString('base64'),
  ]
}

const split = (
  text: string,
  pattern: RegExp | undefined,
  shellOf: (match: RegExpExecArray) => string,
) => {
  const found: Piece[] = []
  let from = 0
  for (const match of pattern ? text.matchAll(pattern) : []) {
    if (match.index > from) found.push({ text: text.slice(from, match.index) })
    found.push({ shell: shellOf(match) })
    from = match.index + match[0].length
  }
  if (from < text.length) found.push({ text: text.slice(from) })
  return found
}

const longestFirst = (texts: Iterable<string>): string[] =>
  [...texts].sort((a, b) => b.length - a.length)

const patternOf = (sources: readonly string[], flags: 'g' | 'gi'): RegExp | undefined =>
  sources.length > 0 ? new RegExp(sources.join('|'), flags) : undefined

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

/** Finds one kind of secret; `mayFind` is a cheaper test that rules a text out. */
interface Rank {
  readonly mayFind: (text: string) => boolean
  readonly rank: (text: string) => Piece[]
}

/** Finds keys in one kind of code, each with the shell expression that replaces it. */
const createKeyRank = (
  patternOfKey: (key: string) => string,
  flags: 'g' | 'gi',
  mayFind: (text: string) => boolean,
) => {
  const shells = new Map<string, string>()
  let sources: readonly string[] = []
  let pattern: RegExp | undefined
  const add = (key: string, shell: string) => {
    const source = `(${patternOfKey(key)})`
    if (!shells.has(source)) shells.set(source, shell)
    sources = longestFirst(shells.keys())
    pattern = patternOf(sources, flags)
  }
  // The sources have no groups of their own: the group that matched says which one it was.
  const shellOf = ([, ...groups]: RegExpExecArray) =>
    shells.get(sources[groups.findIndex((group) => group !== undefined)] ?? '') ?? keyVariable
  return { add, mayFind, rank: (text: string) => split(text, pattern, shellOf) }
}

/** Finds texts, each with the shell expression that replaces it. */
const createTextRank = () => {
  const secrets = new Map<string, string>()
  let pattern: RegExp | undefined
  const add = (secret: string, shell: string) => {
    for (const spelling of spellingsOf(secret)) {
      if (spelling !== '' && !secrets.has(spelling)) secrets.set(spelling, shell)
    }
    pattern = patternOf(longestFirst(secrets.keys()).map(RegExp.escape), 'g')
  }
  const mayFind = (text: string) => pattern !== undefined && text.search(pattern) >= 0
  const shellOf = ([found]: RegExpExecArray) => secrets.get(found) ?? keyVariable
  return { add, mayFind, rank: (text: string) => split(text, pattern, shellOf) }
}

/** Whether a text holds one of several texts or patterns, in any letter case. */
const createProbe = () => {
  const sources = new Set<string>()
  let probe: RegExp | undefined
  const add = (source: string) => {
    sources.add(source)
    probe = undefined
  }
  const mayHold = (text: string): boolean => {
    probe ??= new RegExp([...sources].join('|'), 'i')
    return probe.test(text)
  }
  return { add, mayHold }
}

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
  const plain = createProbe()
  const cores = createProbe()
  const shapes = createProbe()
  const ends = createProbe()
  const isEscaped = (text: string) => mayEscape(text, ends.mayHold)
  const isSpelt = (text: string) => plain.mayHold(text) || isEscaped(text)
  // Whole keys go first: a forgery that is a part of a key must not leave its other part showing.
  const keys = createKeyRank(RegExp.escape, 'g', plain.mayHold)
  const escaped = createKeyRank(escapedPattern, 'g', isEscaped)
  // A text that we derived in base64 is replaced by its own expression, not by that of the key.
  const wrapped = createTextRank()
  const base64 = createKeyRank(base64Pattern, 'g', cores.mayHold)
  const lists = createKeyRank(listPattern, 'g', shapes.mayHold)
  const forgeries = createTextRank()
  // The name of a header may hold a key, and may come in lower case.
  const inAnyCase = createKeyRank(escapedPattern, 'gi', isSpelt)
  // By the longest spelling of all that is hidden, in characters.
  let longest = 0
  const ranks: readonly Rank[] = [keys, escaped, wrapped, base64, lists, forgeries, inAnyCase]
  const pieces = (text: string): Piece[] => {
    let all: Piece[] = [{ text }]
    for (const { mayFind, rank } of ranks) {
      if (all.some((piece) => 'text' in piece && mayFind(piece.text))) {
        all = all.flatMap((piece) => ('text' in piece ? rank(piece.text) : piece))
      }
    }
    return all
  }
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
    const { add } = cores.mayHold(text) ? wrapped : forgeries
    add(text, shell)
    longest = Math.max(longest, ...spellingsOf(text).map(({ length }) => length))
  }
  const hideKey = (key: string, shell = keyVariable) => {
    remembered.clear()
    for (const rank of [keys, escaped, base64, lists]) rank.add(key, shell)
    // A shorter one may be a part of any name, as `date` is.
    if (key.length >= minAnyCaseLength) inAnyCase.add(key, shell)
    plain.add(RegExp.escape(key))
    ends.add(RegExp.escape(keyEnd(key)))
    cores.add(base64Core(key))
    shapes.add(listShape(key))
    longest = Math.max(longest, longestSpelling(key))
  }
  return { hideKey, hideForgery, pieces, redact, redactCut }
}

/** A redactor that writes another variable in place of a key. */
export const withVariable = (redactor: Redactor, variable: string): Redactor => {
  const named = (text: string) => text.replaceAll(firstVariable, variable)
  return {
    ...redactor,
    pieces: (text) =>
      redactor.pieces(text).map((each) => ('shell' in each ? { shell: named(each.shell) } : each)),
    redact: (text) => named(redactor.redact(text)),
    redactCut: (text) => named(redactor.redactCut(text)),
  }
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
  (redactor: Redactor, key: string) =>
  ({ of, shell }: Forgery): string => {
    const made = of(key)
    const isWord = made.length < minPartLength || isOwnWord(made)
    if (made !== key && !(isWord && key.includes(made))) redactor.hideForgery(made, shell)
    return made
  }
