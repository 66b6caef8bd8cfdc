// Keys are replaced here, at the one place that writes, by what a shell would put in their stead.
import type { Forgery } from './context.ts'

/** A piece of a text: as it stands, or an expression for a shell in place of a secret. */
export type Piece = { readonly text: string } | { readonly shell: string }

export interface Redactor {
  /** Hides a text, whichever spelling it has in an address, and what forgeries made of it. */
  readonly hide: (secret: string, shell: string) => void
  readonly pieces: (text: string) => Piece[]
  readonly redact: (text: string) => string
}

export const keyVariable = '$PETVET_KEY'

export const createRedactor = (): Redactor => {
  const secrets = new Map<string, string>()
  let pattern: RegExp | undefined

  const hide = (secret: string, shell: string) => {
    for (const spelling of [secret, encodeURIComponent(secret)]) {
      if (spelling !== '' && !secrets.has(spelling)) secrets.set(spelling, shell)
    }
    // The longest first, so that an extended key is not left with its tail showing.
    const known = [...secrets.keys()].sort((a, b) => b.length - a.length)
    pattern = known.length > 0 ? new RegExp(known.map(RegExp.escape).join('|'), 'g') : undefined
  }

  const pieces = (text: string): Piece[] => {
    if (!pattern) return [{ text }]
    const found: Piece[] = []
    let from = 0
    for (const match of text.matchAll(pattern)) {
      if (match.index > from) found.push({ text: text.slice(from, match.index) })
      found.push({ shell: secrets.get(match[0]) ?? keyVariable })
      from = match.index + match[0].length
    }
    if (from < text.length || found.length === 0) found.push({ text: text.slice(from) })
    return found
  }

  const redact = (text: string): string =>
    pieces(text)
      .map((piece) => ('shell' in piece ? piece.shell : piece.text))
      .join('')

  return { hide, pieces, redact }
}

/** Makes a text of a key and hides it. */
export const forgeWith =
  (redactor: Redactor, key: string) =>
  ({ of, shell }: Forgery): string => {
    const made = of(key)
    redactor.hide(made, shell)
    return made
  }
