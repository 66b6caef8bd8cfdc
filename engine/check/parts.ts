// Valid requests of their parts: what is peculiar about each, and what is plain of the rest.

import { type ApiRequest, type Header, json } from '../../history/exchange.ts'
import { type JsonObject, printJson } from '../../history/json.ts'
import type { Context, Parts } from './context.ts'
import type { Pick } from './declare.ts'
import { createPet, type ListQuery, listPets, scarcestStatus } from './requests.ts'

export type PackedOperation = 'list' | 'create'

/** A name has room for one text of each of these columns, and for what a form of JSON needs. */
export type Column = 0 | 1 | 2

/** A value that is made when it is sent, of what the run knows. */
type Made<T> = T | ((context: Context, pick: Pick) => T)

/** Each header field is a part of its own, the writing of the JSON, and each text of a name. */
export type Peculiar = {
  readonly categoryId?: Made<bigint>
  /** Of a creation: undefined for none. */
  readonly status?: Made<string | undefined>
  /** Undefined for none. */
  readonly limit?: Made<number | undefined>
  readonly framing?: NonNullable<ApiRequest['framing']>
  readonly scheme?: string
  readonly names?: NonNullable<ApiRequest['names']>
  readonly form?: { readonly write: (pet: JsonObject) => string }
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
const textPart = 'text '

/** Of the text of a field: `Accept: text/html`. */
export const headerOf = (field: string): Header => {
  const [name = '', value = ''] = field.split(': ')
  return [name, value]
}

/** A number is so many letters; a list is a field that is sent several times. */
export type Fields = Readonly<Record<string, readonly (string | number | readonly string[])[]>>

/** The fields of a table; the first value of each name, then the second ones, and so on. */
export const fieldsOf = (table: Fields): readonly (readonly Header[])[] =>
  Object.entries(table)
    .flatMap(([name, values]) => values.map((value, nth) => ({ name, value, nth })))
    .sort((a, b) => a.nth - b.nth)
    .map(({ name, value }) => {
      const lines = typeof value === 'number' ? ['x'.repeat(value)] : [value].flat()
      return lines.map((line): Header => [name, line])
    })

/** Header fields, as parts; one that is sent several times is one part. */
export const withFields = (...fields: readonly Header[]): Parts =>
  Object.fromEntries(Map.groupBy(fields, ([name]) => `${fieldPart}${name.toLowerCase()}`))

/** The text of a name that a form of JSON needs: beyond ASCII, a solidus, a quote. */
const formText = `${textPart}form`

/** A way of writing JSON, as a part; of texts, with a text to write. */
export const withJson = (write: (pet: JsonObject) => string, isOfText = false): Parts => ({
  form: { write },
  ...(isOfText && { [formText]: 'é/"猫 🐈' }),
})

/** @param column that of a text in the name; a whole name has no room for others */
export const withName = (name: Made<unknown>, column?: Column): Parts => {
  const texts = ([0, 1, 2] as const).map((at) => `${textPart}${at}`)
  if (column !== undefined) return { [texts[column] ?? '']: name }
  return { name, ...Object.fromEntries([...texts, formText].map((text) => [text, ''])) }
}

const partsOf = <T>(parts: Parts, kind: string): readonly T[] =>
  Object.entries(parts).flatMap(([part, value]) => (part.startsWith(kind) ? [value as T] : []))

const maxName = 100

/** The name, or all texts of one, after the prefix of the run where there is room. */
const nameOf = ({ names }: Context, parts: Parts): JsonObject => {
  const text = partsOf<string>(parts, textPart).join(' ')
  if ('name' in parts || text === '') return 'name' in parts ? { name: String(parts.name) } : {}
  const own = `${names.fresh()} ${text}`
  return { name: own.length > maxName ? text : own }
}

const bodyOf = (context: Context, parts: Parts): string => {
  const { categoryId, form } = parts as Peculiar
  const pet = context.newPet({
    ...nameOf(context, parts),
    ...(categoryId !== undefined && { categoryId }),
    // Lists need pets of each status.
    status: 'status' in parts ? parts.status : scarcestStatus(context),
  } as JsonObject)
  return form ? form.write(pet) : printJson(pet)
}

/** A valid request with these parts, plain in all others. */
export const buildRequest = (
  operation: PackedOperation,
  context: Context,
  parts: Parts,
): ApiRequest => {
  const { framing, scheme, names } = parts as Peculiar
  const isList = operation === 'list'
  const fields = partsOf<readonly Header[]>(parts, fieldPart).flat()
  const isTyped = isList || fields.some(([field]) => field.toLowerCase() === 'content-type')
  return {
    ...(isList ? listPets(parts as ListQuery) : createPet(bodyOf(context, parts))),
    headers: [...(isTyped ? [] : [json]), ...fields],
    ...(framing !== undefined && { framing }),
    ...(scheme !== undefined && { scheme }),
    ...(names !== undefined && { names }),
  }
}
