// Valid requests in the forms that HTTP and JSON allow: header fields that ask for nothing, another
// writing of the JSON, a new connection. Of a pack that fails the smallest part is shown.

import type { Context } from '../../engine/check/context.ts'
import { type AnyCheck, check, type Needs } from '../../engine/check/declare.ts'
import { expectEach } from '../../engine/check/findings.ts'
import { judgePack } from '../../engine/check/shrink.ts'
import {
  type ApiRequest,
  type Header,
  json,
  type Operation,
  statusCode,
} from '../../history/exchange.ts'
import { isObject, type Json, printJson } from '../../history/json.ts'
import { violateStatus } from '../../model/clause.ts'
import { dueFor } from '../../model/due.ts'
import { type Fields, innocentFields, innocentFieldsOfGet } from '../vocabulary/header-fields.ts'
import { afterControl, createPet, listPets, naming, whenScarce } from './requests.ts'

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

/** Few enough that the head stays far below what a server may refuse as too large. */
const fieldsPerRequest = 24

/** Fields in packs, each name once in a pack. */
export const packFields = (values: Fields): readonly (readonly Header[])[] => {
  const packs: Header[][] = []
  const fields = Object.entries(values).flatMap(([name, own]) =>
    own.map((value): Header => [name, value]),
  )
  for (const field of fields) {
    const isFree = (pack: readonly Header[]) =>
      pack.length < fieldsPerRequest &&
      pack.every(([name]) => name.toLowerCase() !== field[0].toLowerCase())
    const pack = packs.find(isFree)
    if (pack) pack.push(field)
    else packs.push([field])
  }
  return packs
}

interface Packs<T> {
  readonly id: string
  readonly operation: Operation
  readonly what: string
  readonly packs: readonly (readonly T[])[]
  /** How many packs a run sends where requests are scarce. */
  readonly few: number
  readonly needs: Pick<Needs, 'stage' | 'allow'>
  readonly words: (one: T) => string
  readonly make: (context: Context, some: readonly T[]) => ApiRequest
}

const packed = <T>({ id, operation, what, packs, few, needs, words, make }: Packs<T>): AnyCheck =>
  check({
    id,
    requirement: 'service.any-form',
    needs,
    sends: `${packs.length} valid requests ${what}; ${few} of them${whenScarce}.`,
    fails: 'Another status than a valid request gets. What fails is halved.',
    ...afterControl(operation, async (context, control) => {
      // The first packs are the fullest.
      const most = context.sample(packs, few).length
      await expectEach(packs.slice(0, most), (pack) =>
        judgePack(pack, async (some) => {
          const response = await context.call(make(context, some))
          const { allows, expected } = dueFor(response, context.history)
          const status = statusCode(response)
          // Another success of plain requests is reported by rows of their own.
          if (allows(status) || status === statusCode(control)) return
          naming(some.map(words).join(' and '), () => violateStatus(expected, control, response))
        }),
      )
    }),
  })

const wordsOfField = (field: Header): string => field.join(': ')

const forms = (by: JsonForm['by']): readonly JsonForm[] =>
  jsonForms[by].map((how) => ({ by, how }) as JsonForm)

/** Each form at least once, at most one of a kind in a pack. */
const packsOfForms = (): readonly (readonly JsonForm[])[] => {
  const [spaces, escapes] = [forms('spaces'), forms('escapes')]
  const others = [[], forms('solidus'), forms('order'), [], forms('order')]
  return spaces.map((space, at) => [space, ...escapes.slice(at, at + 1), ...(others[at] ?? [])])
}

const writing = { stage: 'creations', allow: ['write'] } as const

export const requestForms: readonly AnyCheck[] = [
  packed({
    ...{ id: 'list-fields-200', operation: 'list', few: 5, needs: { stage: 'reads' } },
    what: 'with two dozen header fields each that ask for nothing, of clients, SDKs and proxies',
    packs: packFields(innocentFieldsOfGet),
    words: wordsOfField,
    make: (_, headers) => ({ ...listPets({ limit: 1 }), headers }),
  }),
  packed({
    ...{ id: 'create-fields-201', operation: 'create', few: 2, needs: writing },
    what: 'with two dozen header fields each that ask for nothing, of clients, SDKs and proxies',
    packs: packFields(innocentFields),
    words: wordsOfField,
    make: ({ newPet }, fields) => ({ ...createPet(newPet()), headers: [json, ...fields] }),
  }),
  packed({
    ...{ id: 'create-json-form-201', operation: 'create', few: 5, needs: writing },
    what: 'whose JSON is written with other white space, escapes or order of members',
    packs: packsOfForms(),
    words: ({ how }) => how,
    make: ({ names, newPet }, some) =>
      createPet(writeJson(newPet({ name: `${names.fresh()} é/"猫 🐈`, status: 'sold' }), some)),
  }),
]
