// Keys, and header values from the environment, are replaced here, at the one place that writes, by
// the shell expression of their value. Where a key is spelt as hardly any server spells it, the
// whole text is hidden.

import { startOf } from '../../history/quote.ts'
import { requirement, requirementIds } from '../../spec/requirements.ts'
import type { Forgery } from '../check/context.ts'
import {
  firstVariable,
  furtherSpellings,
  isBase64Of,
  keySpellings,
  longestSpelling,
  minAnyCaseLength,
  type Spelling,
  usualSpellings,
} from './spellings.ts'

/** A piece of a text: verbatim, or a shell expression in place of a secret. */
type Piece =
  | { readonly text: string }
  /** `isHidden`: in place of a text that contains the secret in another spelling. */
  | { readonly shell: string; readonly isHidden?: true }

/** What stands for a key in all that is written. */
const keyVariable = `$${firstVariable}`

const joined = (pieces: readonly Piece[]): string =>
  pieces.reduce((all, piece) => all + ('shell' in piece ? piece.shell : piece.text), '')

/** In a regular expression; Node 22 lacks `RegExp.escape`. */
const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

type Finder = ReturnType<typeof createReplacer>

const createReplacer = (isAnyCase = false) => {
  const shells = new Map<string, string>()
  const keyOf = (found: string) => (isAnyCase ? found.toLowerCase() : found)
  let pattern = /(?!)/
  return {
    add: (secret: string, shell: string): void => {
      if (secret === '' || shells.has(keyOf(secret))) return
      shells.set(keyOf(secret), shell)
      const longestFirst = [...shells.keys()].sort((a, b) => b.length - a.length)
      const sources = longestFirst.map(escaped)
      pattern = new RegExp(`(${sources.join('|')})`, isAnyCase ? 'i' : '')
    },
    split: (text: string): readonly Piece[] => {
      if (!pattern.test(text)) return [{ text }]
      return text
        .split(pattern)
        .map((piece, at) =>
          at % 2 === 0 ? { text: piece } : { shell: shells.get(keyOf(piece)) ?? keyVariable },
        )
    },
  }
}

/** Hides each text that has a secret in one of these spellings. */
const createHider = (spellings: readonly Spelling[]): Finder => {
  const all = spellings.map((spelling) => ({
    ...{ ...spelling, shells: new Map<string, string>(), pattern: /(?!)/ },
  }))
  return {
    add: (secret, shell) => {
      for (const each of all) {
        for (const core of each.coresOf(secret)) each.shells.set(core, shell)
        const sources = [...each.shells.keys()].map(escaped)
        if (sources.length > 0) each.pattern = new RegExp(sources.join('|'))
      }
    },
    split: (text) => {
      for (const { read, sign, pattern, shells } of all) {
        const [core] = (sign.test(text) && pattern.exec(read(text))) || []
        if (core === undefined) continue
        const shell = `(hidden: it contains ${shells.get(core)} in another form)`
        return [{ shell, isHidden: true }]
      }
      return [{ text }]
    },
  }
}

/** Texts recur, headers above all: their pieces are remembered, up to so many characters. */
const maxRemembered = 256 * 1024

export class Redactor {
  // Whole keys go first: a forgery that is a part of a key must not leave its other part showing.
  readonly #keys = createReplacer()
  readonly #spelt = createHider(keySpellings)
  readonly #forgeries = createReplacer()
  // The name of a header may hold a key, and may come in lower case.
  readonly #inAnyCase = createReplacer(true)
  readonly #further = createHider(furtherSpellings)
  readonly #hidden: string[] = []
  /** By the longest spelling of all that is hidden, in characters. */
  #longest = 0
  readonly #remembered = new Map<string, readonly Piece[]>()
  #rememberedCharacters = 0

  readonly pieces = (text: string): readonly Piece[] => {
    const known = this.#remembered.get(text)
    if (known) return known
    const finders = [this.#keys, this.#spelt, this.#forgeries, this.#inAnyCase, this.#further]
    const pieces = finders.reduce<readonly Piece[]>(
      (all, finder) => all.flatMap((piece) => ('text' in piece ? finder.split(piece.text) : piece)),
      // Other programs refuse JSON with half a surrogate pair.
      [{ text: text.toWellFormed() }],
    )
    if (this.#rememberedCharacters > maxRemembered) this.#forget()
    this.#remembered.set(text, pieces)
    this.#rememberedCharacters += text.length
    return pieces
  }

  #forget(): void {
    this.#remembered.clear()
    this.#rememberedCharacters = 0
  }

  readonly redact = (text: string): string => joined(this.pieces(text))

  /** For a text that was cut: its end may be the beginning of a key. */
  readonly redactCut = (text: string): string => {
    const all = [...this.pieces(text)]
    const last = all.pop() ?? { text: '' }
    if ('shell' in last) return joined([...all, last])
    const kept = Math.max(0, last.text.length - this.#longest)
    return joined([...all, { text: startOf(last.text, kept) }])
  }

  /** Whether not all of a text is written. */
  readonly hides = (text: string): boolean => this.pieces(text).some((piece) => 'isHidden' in piece)

  #add(secret: string, shell: string, replacer: Finder): void {
    this.#forget()
    this.#longest = Math.max(this.#longest, longestSpelling(secret))
    for (const spelling of usualSpellings(secret)) replacer.add(spelling, shell)
    // As it is in what an interrupted run wrote.
    replacer.add(shell, shell)
    this.#further.add(secret, shell)
  }

  /** Hides a text that was derived from a key. */
  hideForgery(text: string, shell: string): void {
    // What has a key in base64 is replaced by its own expression, not hidden for its key.
    const isWrapped = this.#hidden.some((key) => isBase64Of(key, text))
    this.#add(text, shell, isWrapped ? this.#keys : this.#forgeries)
    this.#forgeries.add(Buffer.from(text).toString('base64'), shell)
  }

  /** Hides a key, or another secret, which a shell expression of its own then replaces. */
  hideKey(key: string, shell = keyVariable): void {
    this.#hidden.push(key)
    this.#add(key, shell, this.#keys)
    this.#spelt.add(key, shell)
    if (key.length >= minAnyCaseLength) this.#add(key, shell, this.#inAnyCase)
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
  (redactor: Redactor, key: string, variable = firstVariable) =>
  ({ of, shell }: Forgery): string => {
    const made = of(key)
    const isWord = made.length < minPartLength || isOwnWord(made)
    if (made !== key && !(isWord && key.includes(made))) {
      redactor.hideForgery(made, shell.replaceAll(firstVariable, variable))
    }
    return made
  }
