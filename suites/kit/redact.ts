// Keys are replaced here, at the one place that writes, by what a shell would put in their stead.
import { encodedPatterns, escapedPattern } from './key-patterns.ts'

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
const patternOf = (sources: Iterable<string>): RegExp | undefined => {
  const known = [...sources].sort((a, b) => b.length - a.length)
  return known.length > 0 ? new RegExp(known.join('|'), 'g') : undefined
}

type Rank = (text: string) => Piece[]

/**
 * Keys by patterns that are made of them.
 * @param signs what a text must have for them to be worth looking for
 */
const createKeyRank = (patternsOf: (key: string) => string[], signs: RegExp) => {
  const sources = new Set<string>()
  let pattern: RegExp | undefined
  const add = (key: string) => {
    for (const source of patternsOf(key)) sources.add(source)
    pattern = patternOf(sources)
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
    pattern = patternOf([...secrets.keys()].map(RegExp.escape))
  }
  const rank: Rank = (text) => split(text, pattern, (found) => secrets.get(found) ?? keyVariable)
  return { add, rank }
}

export const createRedactor = (): Redactor => {
  // Whole keys go first: a forgery that is a part of a key must not leave its other part showing.
  const keys = createKeyRank((key) => [RegExp.escape(key)], /./s)
  const escaped = createKeyRank((key) => [escapedPattern(key)], /[%&\\]/)
  // What we made of a key in base64 is told by how it was made, and not as a key.
  const wrapped = createTextRank()
  const encoded = createKeyRank(encodedPatterns, /./s)
  const forgeries = createTextRank()
  const ranks = [keys, escaped, wrapped, encoded, forgeries]
  const pieces = (text: string): Piece[] =>
    ranks.reduce<Piece[]>(
      (all, { rank }) => all.flatMap((piece) => ('text' in piece ? rank(piece.text) : piece)),
      [{ text }],
    )
  const redact = (text: string): string =>
    pieces(text)
      .map((piece) => ('shell' in piece ? piece.shell : piece.text))
      .join('')
  const hideForgery = (text: string, shell: string) => {
    const holdsKey = encoded.rank(text).some((piece) => 'shell' in piece)
    const { add } = holdsKey ? wrapped : forgeries
    add(text, shell)
  }
  const hideKey = (key: string) => {
    for (const rank of [keys, escaped, encoded]) rank.add(key)
  }
  return { hideKey, hideForgery, pieces, redact }
}

/** Makes a text of a key and hides it. */
export const forgeWith =
  (redactor: Redactor, key: string) =>
  ({ of, shell }: Forgery): string => {
    const made = of(key)
    if (made !== key) redactor.hideForgery(made, shell)
    return made
  }
