// Keys are replaced here, at the one place that writes, by what a shell would put in their stead.
import { encodedPatterns, escapedPattern, escapeSigns, longestSpelling } from './key-patterns.ts'

/** A piece of a text: as it stands, or an expression for a shell in place of a secret. */
export type Piece = { readonly text: string } | { readonly shell: string }

/** How a text is made of a valid key, and how a shell would make it of `$PETVET_KEY`. */
export interface Forgery {
  readonly of: (key: string) => string
  readonly shell: string
}

export interface Redactor {
  readonly hideKey: (key: string) => void
  /** Hides a text that was made of a key. */
  readonly hideForgery: (text: string, shell: string) => void
  readonly pieces: (text: string) => Piece[]
  readonly redact: (text: string) => string
  /** The same of a text that was cut: where it ends, it may hold the beginning of a key. */
  readonly redactCut: (text: string) => string
}

const keyVariable = '$PETVET_KEY'

/** A target may send back what was made of a key as an address or JSON spells it. */
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

const split = (text: string, pattern: RegExp | undefined, shellOf: (found: string) => string) => {
  const found: Piece[] = []
  let from = 0
  for (const match of pattern ? text.matchAll(pattern) : []) {
    if (match.index > from) found.push({ text: text.slice(from, match.index) })
    found.push({ shell: shellOf(match[0]) })
    from = match.index + match[0].length
  }
  if (from < text.length) found.push({ text: text.slice(from) })
  return found
}

/** Patterns, the longest first, as one. */
const patternOf = (sources: Iterable<string>, flags: 'g' | 'gi'): RegExp | undefined => {
  const known = [...sources].sort((a, b) => b.length - a.length)
  return known.length > 0 ? new RegExp(known.join('|'), flags) : undefined
}

const joined = (pieces: readonly Piece[]): string =>
  pieces.map((piece) => ('shell' in piece ? piece.shell : piece.text)).join('')

/** Without so many characters at the end; what stands for a secret may stay. */
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

type Rank = (text: string) => Piece[]

/**
 * Keys by patterns that are made of them.
 * @param signs what a text must have for them to be worth looking for
 */
const createKeyRank = (patternsOf: (key: string) => string[], signs: RegExp, flags: 'g' | 'gi') => {
  const sources = new Set<string>()
  let pattern: RegExp | undefined
  const add = (key: string) => {
    for (const source of patternsOf(key)) sources.add(source)
    pattern = patternOf(sources, flags)
  }
  const rank: Rank = (text) =>
    signs.test(text) ? split(text, pattern, () => keyVariable) : [{ text }]
  return { add, rank }
}

/** Texts, each with the expression that stands for it. */
const createTextRank = () => {
  const secrets = new Map<string, string>()
  let pattern: RegExp | undefined
  const add = (secret: string, shell: string) => {
    for (const spelling of spellingsOf(secret)) {
      if (spelling !== '' && !secrets.has(spelling)) secrets.set(spelling, shell)
    }
    pattern = patternOf([...secrets.keys()].map(RegExp.escape), 'g')
  }
  const rank: Rank = (text) => split(text, pattern, (found) => secrets.get(found) ?? keyVariable)
  return { add, rank }
}

const leastInAnyCase = 8

export const createRedactor = (): Redactor => {
  // Whole keys go first: a forgery that is a part of a key must not leave its other part showing.
  const keys = createKeyRank((key) => [RegExp.escape(key)], /./s, 'g')
  const escaped = createKeyRank((key) => [escapedPattern(key)], escapeSigns, 'g')
  // What we made of a key in base64 is told by how it was made, and not as a key.
  const wrapped = createTextRank()
  const encoded = createKeyRank(encodedPatterns, /./s, 'g')
  const forgeries = createTextRank()
  // HTTP/2 has the names of headers in lower case, and one may hold a key.
  const inAnyCase = createKeyRank((key) => [escapedPattern(key)], /./s, 'gi')
  // By the longest spelling of all that is hidden, in characters.
  let longest = 0
  const ranks = [keys, escaped, wrapped, encoded, forgeries, inAnyCase]
  const pieces = (text: string): Piece[] =>
    ranks.reduce<Piece[]>(
      (all, { rank }) => all.flatMap((piece) => ('text' in piece ? rank(piece.text) : piece)),
      [{ text }],
    )
  const redact = (text: string): string => joined(pieces(text))
  const redactCut = (text: string): string => joined(withoutEnd(pieces(text), longest))
  const hideForgery = (text: string, shell: string) => {
    const holdsKey = encoded.rank(text).some((piece) => 'shell' in piece)
    const { add } = holdsKey ? wrapped : forgeries
    add(text, shell)
    longest = Math.max(longest, ...spellingsOf(text).map(({ length }) => length))
  }
  const hideKey = (key: string) => {
    for (const rank of [keys, escaped, encoded]) rank.add(key)
    // A shorter one may be a part of any name, as `date` is.
    if (key.length >= leastInAnyCase) inAnyCase.add(key)
    longest = Math.max(longest, longestSpelling(key))
  }
  return { hideKey, hideForgery, pieces, redact, redactCut }
}

/** Makes a text of a key and hides it. */
export const forgeWith =
  (redactor: Redactor, key: string) =>
  ({ of, shell }: Forgery): string => {
    const made = of(key)
    if (made !== key) redactor.hideForgery(made, shell)
    return made
  }
