// Rows: requests as data. A row holds no predicate: `due` says which statuses are legal for its
// request, and which requirement demands them; clauses judge what the response contains.

import fc from 'fast-check'
import type { ApiRequest, Exchange, Operation } from '../../history/exchange.ts'
import { listedIn, printStatuses } from '../../history/statuses.ts'
import { type Due, dueInstead } from '../../model/due.ts'
import type { BindingRequirementId } from '../../spec/requirements.ts'
import { requirement } from '../../spec/requirements.ts'
import type { Context, Parts } from './context.ts'
import {
  type Check,
  check,
  type Pick as Draw,
  type Observation,
  observe,
  type Value,
} from './declare.ts'
import { buildRequest, drawnParts, type PackedOperation } from './parts.ts'
import { type Recorded, recorded } from './recorded.ts'

/** The operations, as the texts of checks name them. */
export const operationNames = {
  ...{ list: '`GET /pets`', create: '`POST /pets`', get: 'GET by id' },
} as const

/** What is peculiar about a valid request. */
export type Packed = readonly [words: string, parts: Parts]

interface Declared<V> extends Pick<Check, 'id' | 'needs' | 'sentBy'> {
  readonly values: readonly V[]
  readonly more?: readonly V[]
}

/** What it is about, and fails for, where its first request alone does not say that. */
interface BindingRow<V> extends Declared<V>, Partial<Pick<Check, 'fails'>> {
  readonly requirement?: BindingRequirementId
}

interface PlainRow extends BindingRow<Value>, Pick<Check, 'dates'> {
  /** Its request is the plain one, which other rows need. */
  readonly isPlain?: true
}

interface OpenRow extends Declared<Value>, Pick<Observation, 'requirement'> {
  readonly record: Recorded
}

export const pickBy =
  (seed: number): Draw =>
  (values) =>
    fc.sample(fc.noBias(values), { seed, numRuns: 1 })[0] as never

/** A run that knows two pets: what follows from a request follows from it here too. */
const standIn = {
  ...{ seed: 1, allow: [], limits: { keys: [] } },
  names: { fresh: () => 'petvet-00000000-1' },
  categories: { free: true, known: [], any: 7n },
  newPet: (members = {}) => ({ name: 'petvet-00000000-1', categoryId: 7n, ...members }),
  forge: ({ of }: Parameters<Context['forge']>[0]) => of('stand-in-key'),
  knownPets: {
    seen: new Map([4n, 2n ** 53n + 2n].map((id) => [id, {}])),
    ...{ creations: [], someId: () => 4n, count: () => 30, isKnown: () => true },
  },
} as unknown as Context

const dueFor = (apiRequest: ApiRequest): Due => {
  const key = apiRequest.authorization === 'valid' ? 'stand-in' : null
  return dueInstead({ apiRequest, key, movedMs: 0 } as Exchange, standIn)
}

const also: Partial<Record<BindingRequirementId | Due['part'], string>> = {
  key: ', where a request without any key gets 401',
  'get.unknown': ', or 200 with the pet of exactly that id',
}

const failsOf = ({ part, statuses, requirement: id }: Due): string => {
  const other = listedIn(statuses).length > 0 ? 'Any status' : 'Anything'
  const end = also[id] ?? also[part] ?? ''
  const isShould = requirement(id).level === 'should'
  const should = isShould ? ' It is a should: a violation is a warning.' : ''
  return `${other} other than ${printStatuses(statuses)}${end}.${should}`
}

/** What follows from the first request of a row, as far as the row does not say it. */
const demanded = ([first]: readonly Value[], declared: Pick<PlainRow, 'requirement' | 'fails'>) => {
  const { requirement, fails } = declared
  if (requirement !== undefined && fails !== undefined) return { requirement, fails }
  if (!first) throw new Error('a row without a request says what it is about')
  const due = dueFor(first[1](standIn, pickBy(1)))
  return {
    requirement: requirement ?? due.requirement,
    fails: fails ?? failsOf(requirement ? { ...due, requirement } : due),
  }
}

/** Of a larger vocabulary so many values are named. */
const maxListed = 40

const sendsOf = (
  operation: Operation,
  { values, more = [] }: Pick<Declared<Value>, 'values' | 'more'>,
  isPlain = false,
): string => {
  const after = isPlain ? '' : `, after a valid ${operationNames[operation]} that was served`
  const all = [...values, ...more]
  const named = [...new Set(all.map(([words]) => words))]
  const left = named.length - maxListed
  const listed = [...named.slice(0, maxListed), ...(left > 0 ? [`${left} more`] : [])].join('; ')
  if (all.length === 1) return `One ${operationNames[operation]} ${listed}${after}.`
  const drawn = more.length > 0 ? `, ${more.length} of them as the budget of the run allows` : ''
  return `${operationNames[operation]}, ${all.length} in all${drawn}${after}: ${listed}.`
}

/**
 * A row whose status is judged: where it must be refused, a plain valid request was served before.
 * @param operation that of the plain request
 */
export const row = (operation: Operation, { isPlain, ...declared }: PlainRow): Check =>
  check({
    ...declared,
    ...demanded(declared.values, declared),
    operation,
    sends: sendsOf(operation, declared, isPlain),
    ...(!isPlain && { after: operation }),
  })

const shared = 'Valid requests share what concerns different parts; what fails is halved.'

/** A row of valid requests, each with something peculiar about a part: they share requests. */
export const packedRow = (
  operation: PackedOperation,
  { values, more = [], ...declared }: BindingRow<Packed>,
): Check => {
  const made = ([words, parts]: Packed): Value => [
    words,
    (context, pick) => buildRequest(operation, context, drawnParts(parts, context, pick)),
    parts,
  ]
  const all = { values: values.map(made), more: more.map(made) }
  return check({
    ...{ ...declared, ...all, ...demanded(all.values, declared) },
    ...{ operation, pack: operation, after: operation },
    sends: `${sendsOf(operation, all)} ${shared}`,
  })
}

/** A row that the interface leaves open: its response is recorded. */
export const openRow = (operation: Operation, declared: OpenRow): Observation =>
  observe({
    ...declared,
    ...{ operation, after: operation },
    records: recorded[declared.record][0],
    sends: sendsOf(operation, declared),
  })
