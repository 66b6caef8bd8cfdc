// How a valid request may differ from a plain one and stay valid: header fields, another writing of
// its JSON, its transport. Dealt by seed, many at once.

import type { ApiRequest, Header } from '../../engine/check/exchange.ts'
import { isObject, type Json, parseJson, printJson } from '../../engine/check/json.ts'
import { mistakenKeys } from '../authentication/spoil.ts'
import { shuffled } from '../pets/arbitraries.ts'
import { innocentFields, innocentFieldsOfGet, trustedFields } from '../vocabulary/header-fields.ts'

const escapeUnit = (unit: string, isUpper: boolean): string => {
  const digits = unit.charCodeAt(0).toString(16).padStart(4, '0')
  return `\\u${isUpper ? digits.toUpperCase() : digits}`
}

const matching = (pattern: RegExp, isUpper: boolean) => (text: string) =>
  // What is escaped already stays as it is.
  text.replace(/\\(?:u[0-9a-f]{4}|.)|[^\\]/gi, (unit) =>
    unit.length === 1 && pattern.test(unit) ? escapeUnit(unit, isUpper) : unit,
  )

type WriteString = (quoted: string) => string

/** How a string is written; what is between its quotes is escaped as far as it has to be. */
const escapes = {
  'beyond ASCII': matching(/[^\0-\x7f]/, false),
  'beyond ASCII, in capitals': matching(/[^\0-\x7f]/, true),
  letters: matching(/[a-z]/, false),
  'all characters': matching(/[^"\\]/s, true),
} satisfies Record<string, WriteString>

const spaces = {
  'a space after each sign': { before: '', after: ' ', around: '' },
  'spaces around each sign': { before: ' ', after: ' ', around: ' ' },
  'line feeds': { before: '', after: '\n  ', around: '\n' },
  'carriage returns and line feeds': { before: '', after: '\r\n\t', around: '\r\n' },
  tabs: { before: '\t', after: '\t', around: '\t' },
} as const

const none = { before: '', after: '', around: '' } as const

const jsonForms = {
  order: ['members in reverse order'],
  solidus: ['/ as \\/'],
  spaces: Object.keys(spaces) as (keyof typeof spaces)[],
  escapes: Object.keys(escapes) as (keyof typeof escapes)[],
} as const

type JsonForm =
  | { readonly by: 'order'; readonly how: (typeof jsonForms.order)[number] }
  | { readonly by: 'solidus'; readonly how: (typeof jsonForms.solidus)[number] }
  | { readonly by: 'spaces'; readonly how: keyof typeof spaces }
  | { readonly by: 'escapes'; readonly how: keyof typeof escapes }

/** Writes an object in these forms, at most one of each kind. */
const writeJson = (value: Json, forms: readonly JsonForm[]): string => {
  if (!isObject(value)) return printJson(value)
  const howOf = (kind: JsonForm['by']) => forms.find(({ by }) => by === kind)?.how
  const space = howOf('spaces')
  const { before, after, around } =
    space === undefined ? none : spaces[space as keyof typeof spaces]
  const escaping = howOf('escapes')
  const isSolidusEscaped = howOf('solidus') !== undefined
  const write = (part: Json): string => {
    const plain = printJson(part)
    if (typeof part !== 'string') return plain
    const text = isSolidusEscaped ? plain.replaceAll('/', '\\/') : plain
    if (escaping === undefined) return text
    return `"${escapes[escaping as keyof typeof escapes](text.slice(1, -1))}"`
  }
  const entries = Object.entries(value)
  if (howOf('order') !== undefined) entries.reverse()
  const members = entries.map(([name, part]) => `${write(name)}${before}:${after}${write(part)}`)
  return `${around}{${after}${members.join(`${before},${after}`)}${before}}${around}`
}

/** One peculiarity of a request. */
export type Variation =
  | { readonly kind: 'field'; readonly field: Header }
  | { readonly kind: 'key'; readonly value: string }
  | { readonly kind: 'json'; readonly form: JsonForm }
  | { readonly kind: 'transport'; readonly how: 'fresh' | 'in two parts' }

/** Equal for equal peculiarities. */
export const printVariation = (variation: Variation): string => {
  if (variation.kind === 'key') return variation.value
  if (variation.kind === 'field') return variation.field.join(': ')
  return variation.kind === 'json' ? variation.form.how : variation.how
}

/** Few enough that the head stays far below what a server may refuse as too large. */
const fieldsPerRequest = 12

const toVariation = (field: Header): Variation => ({ kind: 'field', field })
const formsBy = (by: JsonForm['by']): readonly Variation[] =>
  jsonForms[by].map((how) => ({ kind: 'json', form: { by, how } as JsonForm }))

const decks = {
  GET: innocentFieldsOfGet.flat().map(toVariation),
  POST: innocentFields.flat().map(toVariation),
  /** For a request without a valid key, with any method. */
  keyless: trustedFields.flat().map(toVariation),
} as const

export type VariationKind = keyof typeof decks

const shuffles = new Map<string, readonly Variation[]>()
const maxShuffles = 64

const deckBy = (of: VariationKind, seed: number): readonly Variation[] => {
  const id = `${of} ${seed}`
  const deck = shuffles.get(id) ?? shuffled<Variation>(decks[of], seed)
  if (shuffles.size >= maxShuffles) shuffles.clear()
  shuffles.set(id, deck)
  return deck
}

/** Dealt like cards, so that few requests have them all; each time round in another order. */
const fieldsOf = (of: VariationKind, seed: number, nth: number): readonly Variation[] => {
  const perRound = Math.ceil(decks[of].length / fieldsPerRequest)
  const deck = deckBy(of, seed + Math.floor(nth / perRound))
  const from = (nth % perRound) * fieldsPerRequest
  return deck.slice(from, from + fieldsPerRequest)
}

/** One of them, or none; with every divisor another sequence. */
const inTurn = (all: readonly Variation[], nth: number, divisor: number): readonly Variation[] =>
  [all[Math.floor(nth / divisor) % (all.length + 1)]].filter((one) => one !== undefined)

const formsOf = (nth: number): readonly Variation[] => [
  ...inTurn(formsBy('escapes'), nth, 1),
  ...inTurn(formsBy('spaces'), nth, 2),
  ...inTurn(formsBy('solidus'), nth, 1),
  ...inTurn(formsBy('order'), nth, 3),
  // It takes 50 ms.
  ...(nth % 29 === 28 ? [{ kind: 'transport', how: 'in two parts' } as const] : []),
]

const fresh: readonly Variation[] = [{ kind: 'transport', how: 'fresh' }]

/**
 * The peculiarities of a request, determined by the seed.
 * @param nth number of the request: all requests together have all peculiarities
 */
export const variationsBySeed = (
  of: VariationKind,
  seed: number,
  nth: number,
): readonly Variation[] => [
  ...fieldsOf(of, seed, nth),
  ...(of === 'POST' ? formsOf(nth + (seed & 0xff)) : []),
  ...(of !== 'keyless' && nth % 11 === 10 ? fresh : []),
]

/** A key that was sent by mistake, where a request without any key may have one as well. */
export const mistakenKey = (seed: number, nth: number): Variation => {
  const all = shuffled(mistakenKeys, seed)
  return { kind: 'key', value: all[nth % all.length] ?? '' }
}

/** A request with these peculiarities; a field that it has already stays as it is. */
export const withVariations = (
  request: ApiRequest,
  variations: readonly Variation[],
): ApiRequest => {
  const own = new Set(request.headers.map(([name]) => name.toLowerCase()))
  const fields = variations
    .flatMap((one) => (one.kind === 'field' ? [one.field] : []))
    .filter(([name], at, all) => all.findIndex(([other]) => isSameName(other, name)) === at)
  const forms = variations.flatMap((one) => (one.kind === 'json' ? [one.form] : []))
  const how = variations.flatMap((one) => (one.kind === 'transport' ? [one.how] : []))
  const key = variations.find((one) => one.kind === 'key')
  return {
    ...request,
    ...(key && { authorization: [`Bearer ${key.value}`] }),
    headers: [...request.headers, ...fields.filter(([name]) => !own.has(name.toLowerCase()))],
    body: forms.length === 0 ? request.body : rewritten(request.body, forms),
    ...(how.includes('fresh') && { fresh: true }),
    ...(how.includes('in two parts') && request.body !== null && { framing: 'in two parts' }),
  }
}

const isSameName = (one: string, other: string): boolean =>
  one.toLowerCase() === other.toLowerCase()

const rewritten = (body: ApiRequest['body'], forms: readonly JsonForm[]): ApiRequest['body'] => {
  if (typeof body !== 'string') return body
  const value = parseJson(body)
  return isObject(value) ? writeJson(value, forms) : body
}
