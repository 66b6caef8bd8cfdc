// Valid requests in the forms that HTTP and JSON allow: another writing of the JSON, and header
// fields that programs between a user and a service add to any request, and that ask for nothing
// (ruling 1).

import type { AnyCheck, Make, Needs, Value } from '../../engine/check/declare.ts'
import { type Fields, fieldsOf, withFields, withJson } from '../../engine/check/parts.ts'
import { createPet, listPets } from '../../engine/check/requests.ts'
import { openRow, type Packed, packedRow, row } from '../../engine/check/row.ts'
import {
  type ApiRequest,
  type Header,
  json,
  type Operation,
  unauthorized,
} from '../../history/exchange.ts'
import { type Json, printJson } from '../../history/json.ts'
import { count, startOf } from '../../history/quote.ts'
import headerFields from '../vocabulary/header-fields.json' with { type: 'json' }
import { getUnknown } from './requests.ts'

/**
 * Not here: what `read` says is open, what only a should says to ignore (such as
 * `X-Rewrite-URL`, in `create-override-ignored-201`), and what belongs to the connection.
 */
const { innocent, furtherInnocent, bodyTypes } = headerFields

const maxShown = 300

const wordsOf = (fields: readonly Header[]): string =>
  `with ${fields.map((field) => startOf(field.join(': '), maxShown)).join(' and ')}`

const valuesOf = (table: Fields): readonly Packed[] =>
  fieldsOf(table).map((fields) => [wordsOf(fields), withFields(...fields)])

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
const inCapitals = (unit: string): string => `\\u${escaped(unit).slice(2).toUpperCase()}`

/** Escapes some characters of a string; what is escaped already stays as it is. */
const escaping =
  (pattern: RegExp, written: (unit: string) => string) =>
  (text: string): string =>
    text.replace(/\\(?:u[0-9a-f]{4}|.)|[^\\]/gi, (unit) =>
      unit.length === 1 && pattern.test(unit) ? written(unit) : unit,
    )

interface Style {
  /** Of a string, what is between its quotes. */
  readonly write?: (text: string) => string
  /** White space before and after each sign, and around the whole. */
  readonly spaces?: readonly [before: string, after: string, around: string]
  readonly isReversed?: true
  /** What it writes otherwise is not in each name. */
  readonly isOfText?: true
}

const styles: Readonly<Record<string, Style>> = {
  '/ as \\/': { write: escaping(/\//, () => '\\/'), isOfText: true },
  'beyond ASCII': { write: escaping(/[^\0-\x7f]/, escaped), isOfText: true },
  'beyond ASCII, in capitals': { write: escaping(/[^\0-\x7f]/, inCapitals), isOfText: true },
  letters: { write: escaping(/[a-z]/, escaped) },
  'all characters': { write: escaping(/[^"\\]/s, inCapitals) },
  'members in reverse order': { isReversed: true },
  'a space after each sign': { spaces: ['', ' ', ''] },
  'spaces around each sign': { spaces: [' ', ' ', ' '] },
  'line feeds': { spaces: ['', '\n  ', '\n'] },
  'carriage returns and line feeds': { spaces: ['', '\r\n\t', '\r\n'] },
  tabs: { spaces: ['\t', '\t', '\t'] },
}

const writeIn =
  ({ write = (text) => text, spaces = ['', '', ''], isReversed }: Style) =>
  (pet: Readonly<Record<string, Json>>): string => {
    const [before, after, around] = spaces
    const print = (part: Json): string => {
      const plain = printJson(part)
      return typeof part === 'string' ? `"${write(plain.slice(1, -1))}"` : plain
    }
    const members = Object.entries(pet).map(
      ([name, part]) => `${print(name)}${before}:${after}${print(part)}`,
    )
    if (isReversed) members.reverse()
    return `${around}{${after}${members.join(`${before},${after}`)}${before}}${around}`
  }

const jsonForms = Object.entries(styles).map(([how, style]): Packed => {
  // A status that is lost as the first member is seen where it is not the default.
  const own = style.isReversed && { status: 'sold' }
  return [`with JSON written with ${how}`, { ...withJson(writeIn(style), style.isOfText), ...own }]
})

const letterCases: readonly Packed[] = [
  ['with the names of fields in lower case', { names: 'lower' }],
  ['with the names of fields in capitals', { names: 'upper' }],
]

const refusing = { stage: 'refusals', allow: ['write'] } as const
const writing = { stage: 'creations', allow: ['write'] } as const

/** Each character is sent as one byte. */
const withField = (...field: Header): ApiRequest => ({ ...listPets({}), headers: [field] })

const askingOf = (all: readonly (readonly Header[])[]): readonly Value[] =>
  all.map((headers) => [wordsOf(headers), () => ({ ...listPets({}), headers })])

/** How many fields one request has: of any of them the response is no 5xx. */
const askingAtOnce = 6

/** In few requests, with different fields in each. */
const inFew = (all: readonly (readonly Header[])[]): readonly (readonly Header[])[] => {
  const count = Math.ceil(all.length / askingAtOnce)
  return all.slice(0, count).map((_, at) => all.filter((__, nth) => nth % count === at).flat())
}

const asking = fieldsOf(headerFields.asking)

const maxPackBytes = 2_000
const bytesOf = (fields: readonly Header[]): number => fields.flat().join('    ').length

/** In few requests, in each of which a name is once. */
const packs: Header[][] = []
for (const fields of fieldsOf(innocent)) {
  const pack = packs.find(
    (each) =>
      each.every(([name]) => name !== fields[0]?.[0]) &&
      bytesOf([...each, ...fields]) <= maxPackBytes,
  )
  if (pack) pack.push(...fields)
  else packs.push([...fields])
}

/** What asks for nothing changes no refusal: what writes, translates or logs an error reads it. */
const refusedWith = (id: string, operation: Operation, needs: Needs, make: Make): AnyCheck => {
  const values = packs.map((fields): Value => {
    const words = `with ${count(fields.length, 'field', 'fields')}, as ${fields[0]?.join(': ')}`
    const add = (plain: ApiRequest) => ({ ...plain, headers: [...plain.headers, ...fields] })
    return [words, (context, pick) => add(make(context, pick))]
  })
  const isFree = needs.stage === 'unauthenticated'
  const [first, more] = isFree ? [values, []] : [values.slice(0, 1), values.slice(1)]
  return row(operation, { id, needs, values: first, more })
}

export const requestForms: readonly AnyCheck[] = [
  // HTTP calls such bytes obsolete.
  row('list', {
    ...{ id: 'list-field-bytes-200', needs: { stage: 'reads' } },
    values: [['with é as Latin-1 in X-Petvet', () => withField('X-Petvet', '\u00e9')]],
    more: [['with Ä as UTF-8 in X-Petvet', () => withField('X-Petvet', '\u00c3\u0084')]],
  }),
  // A request without a body gets a type from some clients all the same.
  openRow('list', {
    ...{ id: 'list-fields-asking', requirement: 'service.asking-fields' },
    needs: { stage: 'reads' },
    record: 'status',
    values: askingOf(asking.slice(0, 2)),
    more: askingOf(inFew([...asking.slice(2), ...fieldsOf(headerFields.furtherAsking)])),
  }),
  packedRow('list', {
    ...{ id: 'list-fields-200', needs: { stage: 'reads' } },
    values: valuesOf({ ...innocent, ...bodyTypes }),
    more: valuesOf(furtherInnocent),
  }),
  packedRow('list', {
    ...{ id: 'list-field-names-200', needs: { stage: 'reads' }, values: letterCases },
  }),
  packedRow('create', {
    ...{ id: 'create-field-names-201', needs: writing },
    values: letterCases.map(([words, parts]) => [words, { ...parts, status: undefined }]),
  }),
  packedRow('create', {
    ...{ id: 'create-json-form-201', requirement: 'service.any-form', needs: writing },
    values: jsonForms,
  }),
  packedRow('create', {
    ...{ id: 'create-fields-201', needs: writing },
    values: valuesOf(innocent),
    more: valuesOf(furtherInnocent),
  }),
  refusedWith('auth-fields-401', 'list', { stage: 'unauthenticated' }, () =>
    unauthorized(listPets({})),
  ),
  refusedWith('get-unknown-fields-404', 'get', { stage: 'reads', getPet: true }, getUnknown),
  refusedWith('create-fields-400', 'create', refusing, ({ newPet }) => ({
    ...createPet(printJson({ name: newPet().name ?? '' })),
    headers: [json],
  })),
]
