// Keys are replaced here, at the one place that writes, by what a shell would put in their stead.
import type { Forgery } from './context.ts'

/** A piece of a text: as it stands, or an expression for a shell in place of a secret. */
export type Piece = { readonly text: string } | { readonly shell: string }

export interface Redactor {
  readonly hideKey: (key: string) => void
  /** Hides a text that was made of a key. */
  readonly hideForgery: (text: string, shell: string) => void
  readonly pieces: (text: string) => Piece[]
  readonly redact: (text: string) => string
}

const keyVariable = '$PETVET_KEY'

/** A target may send a key back as an address, JSON or a log spells it. */
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

/** Secrets of one rank, and a pattern that finds them, the longest first. */
const createRank = () => {
  const secrets = new Map<string, string>()
  let pattern: RegExp | undefined
  const add = (secret: string, shell: string) => {
    for (const spelling of spellingsOf(secret)) {
      if (spelling !== '' && !secrets.has(spelling)) secrets.set(spelling, shell)
    }
    const known = [...secrets.keys()].sort((a, b) => b.length - a.length)
    pattern = known.length > 0 ? new RegExp(known.map(RegExp.escape).join('|'), 'g') : undefined
  }
  const split = (text: string): Piece[] => {
    const found: Piece[] = []
    let from = 0
    for (const match of pattern ? text.matchAll(pattern) : []) {
      if (match.index > from) found.push({ text: text.slice(from, match.index) })
      found.push({ shell: secrets.get(match[0]) ?? keyVariable })
      from = match.index + match[0].length
    }
    if (from < text.length) found.push({ text: text.slice(from) })
    return found
  }
  return { add, split }
}

export const createRedactor = (): Redactor => {
  // Whole keys go first: a forgery that is a part of a key must not leave its other part showing.
  const keys = createRank()
  const forgeries = createRank()
  const pieces = (text: string): Piece[] =>
    keys.split(text).flatMap((piece) => ('text' in piece ? forgeries.split(piece.text) : piece))
  const redact = (text: string): string =>
    pieces(text)
      .map((piece) => ('shell' in piece ? piece.shell : piece.text))
      .join('')
  return {
    hideKey: (key) => keys.add(key, keyVariable),
    hideForgery: forgeries.add,
    pieces,
    redact,
  }
}

/** Makes a text of a key and hides it. */
export const forgeWith =
  (redactor: Redactor, key: string) =>
  ({ of, shell }: Forgery): string => {
    const made = of(key)
    if (made !== key) redactor.hideForgery(made, shell)
    return made
  }
