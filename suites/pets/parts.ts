// Valid requests of their parts: what is peculiar about each, and what is plain of the rest.

import type { Context, Parts } from '../../engine/check/context.ts'
import type { Pick } from '../../engine/check/declare.ts'
import { type ApiRequest, type Header, json } from '../../history/exchange.ts'
import { type Json, type JsonObject, printJson } from '../../history/json.ts'
import type { Column } from './arbitraries.ts'
import { scarcestStatus } from './compare-pets.ts'
import { createPet, type ListQuery, listPets } from './requests.ts'

export type PackedOperation = 'list' | 'create'

/** A value that is made when it is sent, of what the run knows. */
type Made<T> = T | ((context: Context, pick: Pick) => T)

/** Each header field is a part of its own, each way of writing JSON, and texts of a name. */
export type Peculiar = {
  readonly categoryId?: Made<bigint>
  /** Of a creation: undefined for none. */
  readonly status?: Made<string | undefined>
  /** Undefined for none. */
  readonly limit?: Made<number | undefined>
  readonly framing?: NonNullable<ApiRequest['framing']>
  readonly scheme?: string
}

/** A way of writing the JSON of a creation. */
export interface JsonForm {
  readonly by: 'order' | 'solidus' | 'spaces' | 'escapes'
  readonly how: string
  /** Writes a string otherwise; what is between its quotes is escaped as far as it has to be. */
  readonly write?: (quoted: string) => string
  /** White space before and after each sign, and around the object. */
  readonly space?: readonly [before: string, after: string, around: string]
}

const escapeUnit = (unit: string, isUpper: boolean): string => {
  const digits = unit.charCodeAt(0).toString(16).padStart(4, '0')
  return `\\u${isUpper ? digits.toUpperCase() : digits}`
}

const matching = (pattern: RegExp, isUpper: boolean) => (text: string) =>
  // What is escaped already stays as it is.
  text.replace(/\\(?:u[0-9a-f]{4}|.)|[^\\]/gi, (unit) =>
    unit.length === 1 && pattern.test(unit) ? escapeUnit(unit, isUpper) : unit,
  )

/** In the order in which they apply to a string. */
export const allForms: readonly JsonForm[] = [
  { by: 'order', how: 'members in reverse order' },
  { by: 'solidus', how: '/ as \\/', write: (quoted) => quoted.replaceAll('/', '\\/') },
  { by: 'spaces', how: 'a space after each sign', space: ['', ' ', ''] },
  { by: 'spaces', how: 'spaces around each sign', space: [' ', ' ', ' '] },
  { by: 'spaces', how: 'line feeds', space: ['', '\n  ', '\n'] },
  { by: 'spaces', how: 'carriage returns and line feeds', space: ['', '\r\n\t', '\r\n'] },
  { by: 'spaces', how: 'tabs', space: ['\t', '\t', '\t'] },
  { by: 'escapes', how: 'beyond ASCII', write: matching(/[^\0-\x7f]/, false) },
  { by: 'escapes', how: 'beyond ASCII, in capitals', write: matching(/[^\0-\x7f]/, true) },
  { by: 'escapes', how: 'letters', write: matching(/[a-z]/, false) },
  { by: 'escapes', how: 'all characters', write: matching(/[^"\\]/s, true) },
]

/** Writes an object in these forms, at most one of each kind. */
const writeJson = (value: JsonObject, forms: readonly JsonForm[]): string => {
  const used = allForms.filter((form) => forms.includes(form))
  const [before, after, around] = used.find(({ space }) => space)?.space ?? ['', '', '']
  const write = (part: Json): string =>
    used.reduce(
      (text, form) => (typeof part === 'string' ? (form.write?.(text) ?? text) : text),
      printJson(part),
    )
  const entries = Object.entries(value)
  if (used.some(({ by }) => by === 'order')) entries.reverse()
  const members = entries.map(([name, part]) => `${write(name)}${before}:${after}${write(part)}`)
  return `${around}{${after}${members.join(`${before},${after}`)}${before}}${around}`
}

/** With values in place of what is made, by the seed of its row. */
export const drawnParts = (parts: Parts, context: Context, pick: Pick): Parts =>
  Object.fromEntries(
    Object.entries(parts).map(([part, value]) => [
      part,
      typeof value === 'function' ? value(context, pick) : value,
    ]),
  )

const fieldPart = 'field '
const formPart = 'json '
const textPart = 'text '

/** Forms that need letters in the name to be seen. */
const inText = ['solidus', 'escapes'] as const
/** Beyond ASCII, a solidus, a quote. */
const richText = 'é/"猫 🐈'

/** Of the text of a field: `Accept: text/html`. */
export const headerOf = (field: string): Header => {
  const [name = '', value = ''] = field.split(': ')
  return [name, value]
}

/** Header fields, as parts. */
export const withFields = (...fields: readonly Header[]): Parts =>
  Object.fromEntries(fields.map((field) => [`${fieldPart}${field[0].toLowerCase()}`, field]))

/** A way of writing JSON, as a part, with what it has to write. */
export const withForm = (form: JsonForm): Parts => ({
  [`${formPart}${form.by}`]: form,
  ...(form.by === 'order' && { status: 'sold' }),
  ...(inText.some((by) => by === form.by) && { [`${textPart}${form.by}`]: richText }),
})

const columns: readonly Column[] = [0, 1, 2]

/** @param column that of a text in the name; a whole name has no room for others */
export const withName = (name: Made<unknown>, column?: Column): Parts =>
  column === undefined
    ? { name, ...Object.fromEntries([...columns, ...inText].map((at) => [`${textPart}${at}`, ''])) }
    : { [`${textPart}${column}`]: name }

const partsOf = <T>(parts: Parts, kind: string): readonly T[] =>
  Object.entries(parts).flatMap(([part, value]) => (part.startsWith(kind) ? [value as T] : []))

const maxName = 100

/** The name, or all texts of one, after the prefix of the run where there is room. */
const nameOf = ({ names }: Context, parts: Parts): string | undefined => {
  if ('name' in parts) return parts.name as string
  const text = [...new Set(partsOf<string>(parts, textPart))].join(' ')
  if (text === '') return undefined
  const own = `${names.fresh()} ${text}`
  return own.length > maxName ? text : own
}

const buildCreation = (context: Context, parts: Parts): ApiRequest => {
  const { categoryId, framing } = parts as Peculiar
  const name = nameOf(context, parts)
  const forms = partsOf<JsonForm>(parts, formPart)
  const fields = partsOf<Header>(parts, fieldPart)
  const isTyped = fields.some(([field]) => field.toLowerCase() === 'content-type')
  const members = {
    ...(name !== undefined && { name }),
    ...(categoryId !== undefined && { categoryId }),
    // Lists need pets of each status.
    status: 'status' in parts ? parts.status : scarcestStatus(context),
  }
  const pet = context.newPet(members as JsonObject)
  return {
    ...createPet(forms.length > 0 ? writeJson(pet, forms) : printJson(pet)),
    headers: [...(isTyped ? [] : [json]), ...fields],
    ...(framing !== undefined && { framing }),
  }
}

const buildList = (_: Context, parts: Parts): ApiRequest => {
  const { scheme } = parts as Peculiar
  return {
    ...listPets(parts as ListQuery),
    headers: partsOf<Header>(parts, fieldPart),
    ...(scheme !== undefined && { scheme }),
  }
}

/** A valid request with these parts, plain in all others. */
export const buildRequest = { create: buildCreation, list: buildList } as const
