// Valid requests in the forms that HTTP and JSON allow: header fields that ask for nothing, and
// another writing of the JSON.

import type { Parts } from '../../engine/check/context.ts'
import type { AnyCheck } from '../../engine/check/declare.ts'
import type { Header } from '../../history/exchange.ts'
import { type Fields, innocentFields, innocentFieldsOfGet } from '../vocabulary/header-fields.ts'
import { allForms, type JsonForm } from './json-forms.ts'
import { withFields, withForm } from './parts.ts'
import { packedRow } from './rows.ts'

type FormValue = readonly [words: string, parts: Parts]

/** The first value of each field, then the second ones, and so on. */
const valuesOf = (fields: Fields): readonly FormValue[] =>
  Object.entries(fields)
    .flatMap(([name, own]) => own.map((value, nth) => ({ field: [name, value] as Header, nth })))
    .sort((a, b) => a.nth - b.nth)
    .map(({ field }) => [`with ${field.join(': ')}`, withFields(field)])

const ofForm = (form: JsonForm): FormValue => [`with JSON written with ${form.how}`, withForm(form)]

const requirement = 'service.any-form'
const writing = { stage: 'creations', allow: ['write'] } as const
const fails = 'Another status than a valid request gets.'

export const requestForms: readonly AnyCheck[] = [
  packedRow('list', fails, {
    ...{ id: 'list-fields-200', requirement, few: 100, needs: { stage: 'reads' } },
    values: valuesOf(innocentFieldsOfGet),
  }),
  packedRow('create', fails, {
    ...{ id: 'create-json-form-201', requirement, few: allForms.length, needs: writing },
    values: allForms.map(ofForm),
  }),
  packedRow('create', fails, {
    ...{ id: 'create-fields-201', requirement, few: 48, needs: writing },
    values: valuesOf(innocentFields),
  }),
]
