// Rows: requests as data. A row holds no predicate: which statuses are legal for its request is
// said once, by `due`, and the clauses judge what the response contains.

import fc from 'fast-check'
import type { Context, Parts, Piece } from '../../engine/check/context.ts'
import { refusedBefore } from '../../engine/check/control-request.ts'
import {
  type Check,
  check,
  type Pick as Draw,
  type Needs,
  type Observation,
  observe,
  type Packable,
  type Value,
} from '../../engine/check/declare.ts'
import { expectEach } from '../../engine/check/findings.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  controlId,
  isSuccess,
  type Operation,
  recognizeOperation,
} from '../../history/exchange.ts'
import { completes, NoResponseError, Untested } from '../../history/outcome.ts'
import { violateAs } from '../../model/clause.ts'
import { removalDay } from '../../model/due.ts'
import { statusDue } from '../../model/status.ts'
import type { BindingRequirementId } from '../../spec/requirements.ts'
import { buildRequest, drawnParts, type PackedOperation } from './parts.ts'
import { afterControl, controlFailed, operationNames, recordEach, whenScarce } from './requests.ts'

interface Declared {
  readonly id: string
  readonly requirement: BindingRequirementId
  readonly needs: Needs
  /** Rows whose effect it reads: they are sent before it. */
  readonly sentBy?: readonly string[]
}

interface Row {
  /** Of several values a run sends a sample, drawn by its seed, where requests are scarce. */
  readonly values: readonly Value[]
  /** The values of such a sample. */
  readonly few?: number
  /** So many of its values are sent, the first; walks draw from all. */
  readonly most?: number
  /** Where the test clock is moved to before each value (ms since the epoch), in this order. */
  readonly dates?: readonly number[]
}

interface BindingRow extends Row, Declared {
  /** Whether it reports that another success than the interface names comes to plain requests. */
  readonly isPlain?: true
}

interface OpenRow extends Row, Pick<Observation, 'id' | 'requirement' | 'needs' | 'records'> {
  readonly record: (response: AnsweredExchange) => string
}

export const pickBy =
  (seed: number): Draw =>
  (values) =>
    fc.sample(fc.noBias(values), { seed, numRuns: 1 })[0] as never

const sendsOf = (
  operation: Operation,
  { values, few = 1, most = values.length }: Row,
  isPlain = false,
): string => {
  const after = isPlain ? '' : `, after a valid ${operationNames[operation]} that was served`
  const sent = values.slice(0, most)
  const [[words] = ['']] = sent
  if (most === 1) return `One ${operationNames[operation]} ${words}${after}.`
  const listed = [...new Set(sent.map(([each]) => each))].join('; ')
  return `${operationNames[operation]}, ${most} in all${after}; ${few}${whenScarce}: ${listed}.`
}

const shared = 'Valid requests share what concerns different parts; what fails is halved.'

/**
 * Moves the test clock to a date; it only moves forward, so one that is past stays.
 * @throws Untested (clock) for a date before the removal, where that is past
 */
export const moveTo = async ({ clock }: Context, dateMs: number): Promise<void> => {
  const nowMs = await clock.now()
  if (nowMs < dateMs) await clock.advance(dateMs - nowMs)
  else if (dateMs < removalDay.firstMs && nowMs >= removalDay.firstMs) {
    throw new Untested('clock', 'restart the target: its clock is past 4 December 2030')
  }
}

/** A server may refuse a body by its length, and close the connection while it is sent. */
const lostWhileSending: readonly unknown[] = ['reset', 'timeout']

const send = async ({ call, history }: Context, request: ApiRequest): Promise<AnsweredExchange> => {
  try {
    return refusedBefore(history, request) ?? (await call(request))
  } catch (error) {
    const isLost = error instanceof NoResponseError && request.padding !== undefined
    if (!isLost || !lostWhileSending.includes(error.exchange.noResponse)) throw error
    const message = `the connection ended while the body was sent: ${error.message}`
    throw new Untested('ambiguous', message, [error.exchange])
  }
}

/** A plain creation was sent as the control: whatever its response, it is not sent again. */
const sentAsControl = async ({ control, history }: Context) => {
  await completes(control('create'))
  return history.exchanges.findLast(
    (one) => one.check === controlId && recognizeOperation(one) === 'create',
  )
}

const chosen = (context: Context, { values, few = 1, most = values.length, dates }: Row) => {
  const all = values
    .slice(0, most)
    .map(([words, make], nth) => ({ words, make, date: dates?.[nth] }))
  return dates ? all : context.sample(all, Math.min(few, most))
}

/** Before the first list of the reads what was created must be listed: then one request tells. */
const controlOf = async (context: Context, operation: Operation, { needs }: Declared) => {
  const control = await context.control(operation)
  if (needs.stage === 'reads') await context.aged()
  return control
}

/**
 * A row owns its status.
 * @param words of the request, where it is one of several
 * @throws Violation for a status that is not due, Untested where something may explain it
 */
export const expectDue = async (
  context: Context,
  response: AnsweredExchange,
  words: string | undefined,
): Promise<void> => {
  const findings = await context.judged(response)
  const found = findings.find(({ clause }) => clause.id === statusDue.id)
  if (!found) return
  const { wrong, expected, actual, evidence } = found.violation
  const { requirement: _, ...own } = wrong
  violateAs(own, expected, words === undefined ? actual : `${actual} for ${words}`, ...evidence)
}

const nameOf = (operation: Operation, words: string): string =>
  `${operationNames[operation].replaceAll('`', '')} ${words}`

/**
 * A row whose status is judged: where it must be refused, a plain valid request was served before.
 * @param operation that of the plain request
 * @param fails in words, which statuses break the requirement
 */
export const row = (operation: Operation, fails: string, declared: BindingRow): Check => {
  const { isPlain, values } = declared
  return check({
    ...declared,
    sends: sendsOf(operation, declared, isPlain),
    fails,
    ...(!isPlain && { inconclusive: controlFailed[operation] }),
    run: async (context) => {
      // What is wrong with plain requests is judged by a row.
      if (!isPlain) await controlOf(context, operation, declared)
      const pick = pickBy(context.seed)
      await expectEach(chosen(context, declared), async ({ words, make, date }) => {
        if (date !== undefined) await moveTo(context, date)
        const sent = isPlain && operation === 'create' ? await sentAsControl(context) : undefined
        const response = sent ?? (await send(context, make(context, pick)))
        const shown = values.length === 1 ? undefined : nameOf(operation, words)
        await expectDue(context, response, shown)
      })
    },
  })
}

/** What is sent for these pieces, each drawn by the seed of its row; with parts of a program. */
export const requestOf = (
  operation: PackedOperation,
  context: Context,
  pieces: readonly Piece[],
  parts?: Parts,
): ApiRequest => {
  const drawn = pieces.map(({ parts, context: its }) => drawnParts(parts, its, pickBy(its.seed)))
  const also = [...new Set(pieces.map(({ id }) => id))].slice(parts ? 0 : 1)
  const request = buildRequest[operation](context, Object.assign({}, ...drawn, parts))
  return { ...request, ...(also.length > 0 && { also }) }
}

/** How many pieces of a pack are named. */
const maxNamed = 4

const wordsOf = (pieces: readonly Piece[]): string => {
  const left = pieces.length - maxNamed
  const named = pieces.slice(0, maxNamed).map(({ words }) => words)
  return [...named, ...(left > 0 ? [`${left} more`] : [])].join(' and ')
}

type PackedRow = Declared & Omit<Packable, 'operation' | 'few'> & { readonly few?: number }

/** A row of valid requests, each with something peculiar about a part: they share requests. */
export const packedRow = (
  operation: PackedOperation,
  fails: string,
  { values, few = 1, ...declared }: PackedRow,
): Check => {
  const made = values.map(
    ([words, parts]): Value => [
      words,
      (context, pick) => buildRequest[operation](context, drawnParts(parts, context, pick)),
    ],
  )
  return check({
    ...declared,
    values: made,
    pack: { operation, values, few },
    sends: `${sendsOf(operation, { ...declared, values: made, few })} ${shared}`,
    fails,
    inconclusive: controlFailed[operation],
    run: async (context) => {
      await controlOf(context, operation, declared)
      await context.packed(async (pieces) => {
        const { call } = pieces[0]?.context ?? context
        const response = await call(requestOf(operation, context, pieces))
        const isOne = pieces.length === 0 || (values.length === 1 && pieces.length === 1)
        const words = isOne ? undefined : nameOf(operation, wordsOf(pieces))
        await expectDue(context, response, words)
        return { seq: response.seq, isServed: isSuccess(response) }
      })
    },
  })
}

/** A row that the interface leaves open: its response is recorded. */
export const openRow = (operation: Operation, declared: OpenRow): Observation =>
  observe({
    ...declared,
    sends: sendsOf(operation, declared),
    ...afterControl(operation, (context) => {
      const pick = pickBy(context.seed)
      return recordEach(chosen(context, declared), async ({ words, make }) => [
        words,
        declared.record(await context.call(make(context, pick))),
      ])
    }),
  })
