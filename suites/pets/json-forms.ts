// The ways in which the JSON of a creation may be written: white space, escapes, order of members.

import { isObject, type Json, printJson } from '../../history/json.ts'

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

export type JsonForm =
  | { readonly by: 'order'; readonly how: (typeof jsonForms.order)[number] }
  | { readonly by: 'solidus'; readonly how: (typeof jsonForms.solidus)[number] }
  | { readonly by: 'spaces'; readonly how: keyof typeof spaces }
  | { readonly by: 'escapes'; readonly how: keyof typeof escapes }

/** Writes an object in these forms, at most one of each kind. */
export const writeJson = (value: Json, forms: readonly JsonForm[]): string => {
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

const forms = (by: JsonForm['by']): readonly JsonForm[] =>
  jsonForms[by].map((how) => ({ by, how }) as JsonForm)

export const allForms: readonly JsonForm[] = (Object.keys(jsonForms) as JsonForm['by'][]).flatMap(
  forms,
)
