// Valid requests of their parts: what is peculiar about each, and what is plain of the rest.

import type { Context, Parts } from '../../engine/check/context.ts'
import type { Pick } from '../../engine/check/declare.ts'
import { type ApiRequest, type Header, json } from '../../history/exchange.ts'
import { type JsonObject, printJson } from '../../history/json.ts'
import { scarcestStatus } from './compare-pets.ts'
import { type JsonForm, writeJson } from './json-forms.ts'
import { createPet, type ListQuery, listPets } from './requests.ts'

export type PackedOperation = 'list' | 'create'

/** A value that is made when it is sent, of what the run knows. */
type Made<T> = T | ((context: Context, pick: Pick) => T)

/** Each header field is a part of its own, and each way of writing JSON. */
export type Peculiar = {
  readonly name?: Made<string>
  readonly categoryId?: Made<bigint>
  /** Of a creation: undefined for none. */
  readonly status?: Made<string | undefined>
  /** Undefined for none. */
  readonly limit?: Made<number | undefined>
  readonly framing?: NonNullable<ApiRequest['framing']>
  readonly scheme?: string
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

/** Header fields, as parts. */
export const withFields = (...fields: readonly Header[]): Parts =>
  Object.fromEntries(fields.map((field) => [`${fieldPart}${field[0].toLowerCase()}`, field]))

/** A way of writing JSON, as a part. */
export const withForm = (form: JsonForm): Parts => ({ [`${formPart}${form.by}`]: form })

const partsOf = <T>(parts: Parts, kind: string): readonly T[] =>
  Object.entries(parts).flatMap(([part, value]) => (part.startsWith(kind) ? [value as T] : []))

/** What each form has something to write in: letters beyond ASCII, a solidus, a quote. */
export const richName = ({ names }: Context): string => `${names.fresh()} é/"猫 🐈`

const buildCreation = (context: Context, parts: Parts): ApiRequest => {
  const { name, categoryId, framing } = parts as Peculiar
  const forms = partsOf<JsonForm>(parts, formPart)
  const fields = partsOf<Header>(parts, fieldPart)
  const isTyped = fields.some(([field]) => field.toLowerCase() === 'content-type')
  const members = {
    ...(forms.length > 0 && { name: richName(context) }),
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
