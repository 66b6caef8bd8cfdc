// Sends the values of a row, and judges the status of each.

import {
  type AnsweredExchange,
  type ApiRequest,
  controlId,
  isSuccess,
  type Operation,
  recognizeOperation,
  statusCode,
} from '../../history/exchange.ts'
import { completes, NoResponseError, Untested } from '../../history/outcome.ts'
import { violateAs } from '../../model/clause.ts'
import { removalDay } from '../../model/due.ts'
import { statusDue } from '../../model/status.ts'
import type { Context, Parts, Piece } from '../check/context.ts'
import { refusedBefore } from '../check/control-request.ts'
import { allValues, type SendingCheck, type Value } from '../check/declare.ts'
import { expectEach } from '../check/findings.ts'
import { buildRequest, drawnParts, type PackedOperation } from '../check/parts.ts'
import { recordEach, recorded } from '../check/recorded.ts'
import { operationNames, pickBy } from '../check/row.ts'
import type { Session } from './session.ts'

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

/**
 * A row owns its status.
 * @param words of the request, where it is one of several
 * @throws Violation for a status that is not due, Untested where something may explain it
 */
const expectDue = async (
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

/** What is sent for these pieces, each drawn by the seed of its row; with parts of a program. */
export const requestOf = (
  operation: PackedOperation,
  context: Context,
  pieces: readonly Piece[],
  parts?: Parts,
): ApiRequest => {
  const drawn = pieces.map(({ parts, context: its }) => drawnParts(parts, its, pickBy(its.seed)))
  const also = [...new Set(pieces.map(({ id }) => id))].slice(parts ? 0 : 1)
  const request = buildRequest(operation, context, Object.assign({}, ...drawn, parts))
  return { ...request, ...(also.length > 0 && { also }) }
}

/** How many pieces of a pack are named. */
const maxNamed = 4

const wordsOf = (pieces: readonly Piece[]): string => {
  const left = pieces.length - maxNamed
  const named = pieces.slice(0, maxNamed).map(({ words }) => words)
  return [...named, ...(left > 0 ? [`${left} more`] : [])].join(' and ')
}

const isSingle = (row: SendingCheck): boolean => allValues(row).length === 1

const sendPacked = async (
  row: SendingCheck,
  operation: PackedOperation,
  context: Context,
  { ahead, packs }: Session,
) => {
  await ahead?.sendPacks(operation, statusCode(await context.control(operation)))
  await packs?.run(row.id, async (pieces) => {
    const { call } = pieces[0]?.context ?? context
    const response = await call(requestOf(operation, context, pieces))
    const isPlain = pieces.length === 0 || (isSingle(row) && pieces.length === 1)
    await expectDue(context, response, isPlain ? undefined : nameOf(operation, wordsOf(pieces)))
    return { seq: response.seq, isServed: isSuccess(response) }
  })
}

/** @returns what it records, if it is open. @throws Violation with all that is not due */
export const sendRow = async (
  row: SendingCheck,
  context: Context,
  session: Session,
): Promise<string> => {
  const { after, dates, operation = 'list', pack } = row
  if (pack === 'list' || pack === 'create') await sendPacked(row, pack, context, session)
  if (pack) return ''
  const [values, pick] = [session.valuesOf(row), pickBy(context.seed)]
  if (row.kind === 'observe') {
    const [, record] = recorded[row.record ?? 'status']
    const { values: first = [] } = row
    const ask = async (value: Value) =>
      (await session.ahead?.responseTo(value)) ?? context.call(value[1](context, pick))
    const observed = await recordEach(first, async (each) => [each[0], record(await ask(each))])
    // What is drawn differs between runs: it is judged, and not recorded.
    for (const each of values.slice(first.length)) await ask(each)
    return observed
  }
  await expectEach(values.entries(), async ([nth, value]) => {
    const [words, make] = value
    const date = dates?.[nth]
    if (date !== undefined) await moveTo(context, date)
    const isControl = !after && operation === 'create'
    const sent = isControl ? await sentAsControl(context) : await session.ahead?.responseTo(value)
    const response = sent ?? (await send(context, make(context, pick)))
    await expectDue(context, response, isSingle(row) ? undefined : nameOf(operation, words))
  })
  return ''
}
