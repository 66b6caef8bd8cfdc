// The requirement that demands the status of a request: it follows from what the request is.
import { type Exchange, isBelowBase } from '../history/exchange.ts'
import type { BindingRequirementId } from '../spec/requirements.ts'
import { read } from './read.ts'
import type { Part } from './read-body.ts'
import { beyondAscii } from './read-head.ts'

type Sent = Pick<Exchange, 'apiRequest'>
type Table = Readonly<Record<string, Readonly<Record<string, BindingRequirementId>>>>

/** Of a table, by the part, and by its kind or any other. */
const lookUp = (table: Table, { part, kind }: Part): BindingRequirementId | undefined =>
  table[part]?.[kind] ?? table[part]?.['*']

/** A creation with one fault. */
const faults: Table = {
  name: { missing: 'new-pet.name.required', '*': 'new-pet.name.type' },
  categoryId: {
    missing: 'new-pet.category.required',
    'above int64': 'new-pet.category.range',
    'below int64': 'new-pet.category.range',
    '*': 'new-pet.category.type',
  },
  status: { '*': 'new-pet.status.enum' },
  body: {
    missing: 'create.body-required',
    'no JSON': 'create.body-json',
    deep: 'create.too-large',
    '*': 'create.body-object',
  },
}

/** Of a creation with several faults any of them is a reason to refuse it. */
export const ofRefusal = (sent: Sent): BindingRequirementId => {
  const { parts } = read(sent)
  const [fault, ...others] = parts.filter(({ is }) => is === 'invalid')
  if (parts.some(({ kind }) => kind === 'padded' || kind === 'large')) return 'create.too-large'
  return (fault && others.length === 0 && lookUp(faults, fault)) || 'errors.400'
}

const successes = { list: 'list.success', create: 'create.success', get: 'get.success' } as const

/** What is peculiar about a valid request. */
const peculiar: Table = {
  categoryId: { '*': 'new-pet.category.exact' },
  name: { '*': 'new-pet.name.ordinary' },
  status: { omitted: 'new-pet.status.optional' },
  limit: { 1: 'bounds.limit', 100: 'bounds.limit' },
  writing: { '*': 'service.any-form' },
  key: { scheme: 'auth.scheme-case' },
  'content-type': {
    parameters: 'service.json-request',
    'media type': 'service.media-type-case',
  },
}

/** These a server may obey, which is a should. */
const overriding = /^x-(?:http-)?method(?:-override)?$|^x-original-url$|^x-rewrite-url$/

const ofValid = (part: Part): BindingRequirementId | undefined => {
  if (part.kind === 'field') {
    return overriding.test(part.part) ? 'service.override' : 'service.any-form'
  }
  if (part.kind === beyondAscii) return 'service.field-bytes'
  return lookUp(peculiar, part)
}

/** What only a should demands to be served. */
const shoulds: readonly unknown[] = [
  'auth.scheme-case',
  'service.media-type-case',
  'service.override',
  'service.field-bytes',
]

/** A valid request: by the one peculiar thing about it, or by its operation. */
export const ofSuccess = (sent: Sent): BindingRequirementId => {
  const { operation = 'list', parts } = read(sent)
  const own = new Set(parts.flatMap((part) => ofValid(part) ?? []))
  const lenient = [...own].find((each) => shoulds.includes(each))
  const [only] = own
  return lenient ?? (only && own.size === 1 ? only : successes[operation])
}

/** The requirements that any part of a request is about. */
export const ofParts = (sent: Sent): readonly BindingRequirementId[] =>
  read(sent).parts.flatMap((part) => {
    const found = part.is === 'invalid' ? lookUp(faults, part) : ofValid(part)
    return found === undefined ? [] : [found]
  })

const schemeOf = (value: string): string => /^\S+(?=\s+\S)/.exec(value.trim())?.[0] ?? ''

/** A request without a valid key. */
export const ofKey = (sent: Sent): BindingRequirementId => {
  const { operation = 'list', parts, key } = read(sent)
  const { authorization, says } = sent.apiRequest
  if (!isBelowBase(sent) || read(sent).operation === undefined) return 'service.key'
  if (parts.some(({ part, is }) => part !== 'key' && is !== 'valid' && is !== 'open')) {
    return 'auth.first'
  }
  if (key === 'none') return says === undefined ? `${operation}.unauthorized` : 'auth.only-bearer'
  const [value = '', ...others] = Array.isArray(authorization) ? authorization : []
  if (others.length > 0) return 'auth.key-invalid'
  if (/^\s*(?:bearer)?\s*$/i.test(value)) return 'auth.key-missing'
  const scheme = schemeOf(value)
  if (scheme === '') return 'auth.only-bearer'
  return /^bearer:?$/i.test(scheme) ? 'auth.key-invalid' : 'auth.scheme'
}

const groups: Readonly<Record<string, BindingRequirementId>> = {
  '/store': 'service.groups',
  '/animals': 'service.groups',
  '/domains': 'publishing.no-operation',
  '/projects': 'publishing.no-operation',
}

/** Whether an address is that of a group, or of the publishing workflow: none has operations. */
export const groupOf = ({ apiRequest: { path } }: Sent): BindingRequirementId | undefined =>
  groups[path.replace(/\/$/, '')]
