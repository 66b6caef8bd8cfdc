// Kinds of value: how a value that came back differs from the one that was sent, and in which form
// a header has a number. They are detected, so that a report names them instead of guessing.
import type { Json } from './json.ts'
import { percentDecoded } from './quote.ts'

const limits: readonly bigint[] = [31n, 32n, 53n, 63n].flatMap((bits) => [
  2n ** bits - 1n,
  -(2n ** bits),
  -(2n ** bits) + 1n,
])

/** Zero may be what is left for another cause; beyond 64 bits the cut may have been there. */
const isCutTo32Bits = (sent: bigint, got: bigint): boolean =>
  got !== 0n &&
  sent === BigInt.asIntN(64, sent) &&
  (got === BigInt.asIntN(32, sent) || got === BigInt.asUintN(32, sent))

/** Also as a double is printed, with the fewest digits that tell it from others. */
const isRounded = (sent: bigint, got: bigint): boolean => {
  const double = Number(sent)
  // The largest integers of JSON are beyond every double.
  return Number.isFinite(double) && (got === BigInt(double) || String(got) === String(double))
}

/** So many digits are printed of a double where nothing else is said. */
const printedDigits = [6, 14, 15, 16, 17]

const isShortened = (sent: bigint, got: bigint): boolean =>
  printedDigits.some((digits) => String(got) === `${Number(Number(sent).toPrecision(digits))}`)

type Change<T, K = string> = readonly [K, (sent: T, got: T) => boolean]

/** In this order: the first that holds names the change of an integer. */
const integerChanges = [
  ['rounded to a double', isRounded],
  ['cut to 32 bits', isCutTo32Bits],
  ['wrapped to 64 bits', (sent, got) => got === BigInt.asIntN(64, sent)],
  ['negated', (sent, got) => got === -sent],
  ['one more', (sent, got) => got === sent + 1n],
  ['one less', (sent, got) => got === sent - 1n],
  ['rounded to fewer digits', isShortened],
  ['clamped', (_sent, got) => limits.includes(got)],
] as const satisfies readonly Change<bigint>[]

/** Each with what it stands for; the sign with which all begin comes last. */
const htmlEscapes: readonly (readonly [RegExp, string])[] = [
  [/&lt;/g, '<'],
  [/&gt;/g, '>'],
  [/&(?:quot|#34);/g, '"'],
  [/&(?:#39|#x27|apos);/g, "'"],
  [/&amp;/g, '&'],
]

const withoutHtml = (text: string): string =>
  htmlEscapes.reduce((left, [pattern, sign]) => left.replace(pattern, sign), text)

/** Whether the text is what is left of the other one when characters are taken out. */
const isWithin = (part: string, whole: string): boolean => {
  let at = 0
  for (const character of whole) if (part.startsWith(character, at)) at += character.length
  return at === part.length
}

const isReplaced = (sent: string, got: string): boolean =>
  /[?\uFFFD]/.test(got) &&
  isWithin(got.replace(/[?\uFFFD]/g, ''), sent) &&
  got.replace(/[?\uFFFD]/g, '').length < sent.length

/** Perhaps in the middle of a character, or with dots in place of the rest. */
const isStart = (sent: string, got: string): boolean =>
  got !== '' &&
  got.length < sent.length &&
  sent.startsWith(got.replace(/[\uFFFD\uD800-\uDBFF.…]+$/, ''))

type TextChange = (text: string) => string | undefined

/** What changes make of a text, where that follows from it alone. */
const madeOfTexts = {
  trimmed: (text) => text.trim(),
  'normalized to NFC': (text) => text.normalize('NFC'),
  'normalized to NFD': (text) => text.normalize('NFD'),
  'normalized to NFKC': (text) => text.normalize('NFKC'),
  'normalized to NFKD': (text) => text.normalize('NFKD'),
  'in lower case': (text) => text.toLowerCase(),
  'in upper case': (text) => text.toUpperCase(),
  'with spaces joined': (text) => text.replace(/\s+/g, ' '),
  'percent-decoded': percentDecoded,
} as const satisfies Readonly<Record<string, TextChange>>

const made = <K extends keyof typeof madeOfTexts>(kind: K): Change<string, K> => [
  kind,
  (sent, got) => madeOfTexts[kind](sent) === got,
]

/** In this order: the first that holds names the change of a text. */
const textChanges = [
  ['trimmed', (sent, got) => [sent.trim(), sent.trimStart(), sent.trimEnd()].includes(got)],
  made('normalized to NFC'),
  made('normalized to NFD'),
  made('normalized to NFKC'),
  made('normalized to NFKD'),
  made('in lower case'),
  made('in upper case'),
  ['in another letter case', (sent, got) => sent.toLowerCase() === got.toLowerCase()],
  ['UTF-8 read as Latin-1', (sent, got) => Buffer.from(sent).toString('latin1') === got],
  ['Latin-1 read as UTF-8', (sent, got) => Buffer.from(sent, 'latin1').toString('utf8') === got],
  [
    'with spaces joined',
    (sent, got) => madeOfTexts['with spaces joined'](sent).trim() === got.trim(),
  ],
  ['cut', isStart],
  ['with HTML escapes', (sent, got) => withoutHtml(got) === sent],
  ['with quotes doubled', (sent, got) => got.replace(/(['"])\1/g, '$1') === sent],
  ['escaped twice', (sent, got) => JSON.stringify(sent).slice(1, -1) === got],
  made('percent-decoded'),
  ['percent-encoded', (sent, got) => encodeURIComponent(sent.toWellFormed()) === got],
  ['with characters replaced', isReplaced],
  ['with characters left out', (sent, got) => isWithin(got, sent)],
  ['with text added', (sent, got) => got.includes(sent)],
] as const satisfies readonly Change<string>[]

/** The fault of a text that is no JSON. */
export const noJson = 'a body that is no JSON'

/** Why a body is no JSON. */
export type Unreadable =
  | typeof noJson
  | 'a body that is no UTF-8'
  | 'a body that begins with a byte order mark'
  | 'a body that is not in the coding it names'
  | 'an empty body'
  | 'no answer'

const shapes = [
  'missing',
  'null',
  'an array',
  'a number',
  'an object',
  'a string',
  'a boolean',
] as const
type Shape = (typeof shapes)[number]

/** `a number`, `an array`; `missing` where there is no value. */
export const describeShape = (value: Json | undefined): Shape => {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string') return 'a string'
  if (typeof value === 'boolean') return 'a boolean'
  return typeof value === 'object' ? 'an object' : 'a number'
}

const otherShapes = ['a fraction', 'a string of digits']

/** Whether a kind of value says what type it has. */
export const isShape = (kind: unknown): boolean =>
  kind !== 'missing' && [...shapes, ...otherShapes].some((each) => each === kind)

const firstOf = <T, K>(changes: readonly Change<T, K>[], sent: T, got: T): K | 'another value' =>
  changes.find(([, holds]) => holds(sent, got))?.[0] ?? 'another value'

/** How a value that came back differs from the one that was sent, in a few words. */
export const describeChange = (sent: Json | undefined, got: Json | undefined) => {
  if (got === undefined) return 'missing'
  if (got === null) return 'null'
  if (sent === undefined || sent === null) return 'another value'
  if (typeof sent === 'bigint' && typeof got === 'bigint') return firstOf(integerChanges, sent, got)
  if (typeof sent === 'string' && typeof got === 'string') {
    return got === '[object Object]' ? 'another value' : firstOf(textChanges, sent, got)
  }
  if (describeShape(sent) === 'a number' && describeShape(got) === 'a number') {
    return Number(sent) === Number(got) ? 'rounded to a double' : 'another value'
  }
  if (describeShape(sent) === describeShape(got)) return 'another value'
  return `${describeShape(got)} instead of ${describeShape(sent)}` as const
}

const madeOfIntegers: Readonly<Record<string, (integer: bigint) => bigint>> = {
  // The largest integers of JSON are beyond every double.
  'rounded to a double': (integer) =>
    Number.isFinite(Number(integer)) ? BigInt(Number(integer)) : integer,
  'cut to 32 bits': (integer) => BigInt.asIntN(32, integer),
}

/** Whether a change of a kind would show in a value; undefined: not known of the kind. */
export const showsIn = (kind: string, sent: Json | undefined): boolean | undefined => {
  const ofText: TextChange | undefined = madeOfTexts[kind as keyof typeof madeOfTexts]
  const ofInteger = madeOfIntegers[kind]
  if (ofText) return typeof sent === 'string' && (ofText(sent) ?? sent) !== sent
  return ofInteger && typeof sent === 'bigint' && ofInteger(sent) !== sent
}

/** A longer part that differs says no more than the two texts. */
const maxDiffering = 12
/** So many characters behind it are equal again. */
const equalAgain = 3

const lengths = Array.from({ length: maxDiffering + 1 }, (_, length) => length)
/** How many characters were there, and are there now: the fewest first. */
const differing = lengths
  .flatMap((was) => lengths.map((is) => [was, is] as const))
  .sort(([a, b], [c, d]) => a + b - c - d)

/**
 * The first part in which two texts differ, by character: what was there, and what is there now.
 * @returns undefined where they are not equal again soon after it
 */
export const firstDifference = (
  before: string,
  after: string,
): readonly [was: string, is: string] | undefined => {
  if (before === after) return undefined
  let start = 0
  while (before[start] === after[start]) start += 1
  // A sign before it belongs to an escape.
  if (/[!-/:-@[-`{-~]/.test(before[start - 1] ?? '')) start -= 1
  // Not in the middle of a character.
  if (/[\udc00-\udfff]/.test(before[start] ?? after[start] ?? '')) start = Math.max(0, start - 1)
  const charactersIn = (text: string) => [...text.slice(start, start + 4 * maxDiffering)]
  const [own, its] = [charactersIn(before), charactersIn(after)]
  const part = (all: readonly string[], from: number, to: number) => all.slice(from, to).join('')
  const [was, is] =
    differing.find(
      ([left, put]) => part(own, left, left + equalAgain) === part(its, put, put + equalAgain),
    ) ?? []
  if (was !== undefined && is !== undefined) return [part(own, 0, was), part(its, 0, is)]
  // Of several texts that were left out it is the first.
  const left = isWithin(after, before) ? own.findIndex((each) => each === its[0]) : -1
  return left > 0 ? [part(own, 0, left), ''] : undefined
}

/** In this order: the first that holds names the form of a header that is to be an integer. */
const numberForms = [
  ['empty', /^$/],
  ['null', /^(?:null|undefined|none|nil)$/i],
  ['not a number', /^(?:nan|[+-]?inf(?:inity)?)$/i],
  ['negative', /^-\d+$/],
  ['with a sign', /^\+\d+$/],
  ['with decimals', /^-?\d+\.\d+$/],
  ['with an exponent', /^-?\d+(?:\.\d+)?e[+-]?\d+$/i],
  ['with separators', /^\d{1,3}(?:[,.'_\s\u00a0\u202f]\d{3})+$/],
  ['in hexadecimal', /^0x[\da-f]+$/i],
  ['in quotes', /^["'].*["']$/],
  ['a structured field', /[;=]/],
  ['several values', /^\d+(?:\s*,\s*\d+)+$/],
  ['a date', /\d{4}.*\d{2}:\d{2}|^\d{4}-\d{2}-\d{2}/],
  ['with a unit', /^\d+\s*[a-z]+$/i],
  ['with leading zeros', /^0\d+$/],
  ['an integer', /^\d+$/],
] as const

/** In which form a header has what is to be an integer: `with decimals`, `a date`. */
export const describeForm = (value: string): (typeof numberForms)[number][0] | 'no number' =>
  numberForms.find(([, pattern]) => pattern.test(value.trim()))?.[0] ?? 'no number'

const maxWindowsSeconds = 2 * 86_400

/** What a time that is no Unix time in seconds looks like. */
export const describeTimeForm = (value: string) => {
  const form = describeForm(value)
  if (form !== 'an integer') return form
  if (/^\d{13}$/.test(value)) return 'in milliseconds'
  if (/^\d{16}$/.test(value)) return 'in microseconds'
  if (/^0+$/.test(value)) return 'zero'
  return Number(value) <= maxWindowsSeconds ? 'seconds from now' : 'another time'
}
