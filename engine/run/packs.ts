// Valid rows share requests: a pack has one value of each part of a request. If it passes, all its
// values pass; if not, the smallest part of it that fails is found, and the rest is sent again.

import type { AnsweredExchange, ApiRequest, Operation } from '../../history/exchange.ts'
import { NoResponseError, Violation } from '../../history/outcome.ts'
import type { Context, Piece } from '../check/context.ts'
import type { SendingCheck } from '../check/declare.ts'
import { expectEach } from '../check/findings.ts'
import type { Draw } from './draw.ts'

/** So few that the head of a request stays far below what a server may refuse as too large. */
const maxPieces = 24
/** Failures of a row before its other values are left alone. */
const maxFailures = 6

/**
 * Sends one request with these pieces, as one of the row of the first; plain without any.
 * @returns its number, and whether it was served
 * @throws Violation that names them
 */
export type SendPack = (
  pieces: readonly Piece[],
) => Promise<{ readonly seq: number; readonly isServed: boolean }>

interface Value extends Piece {
  readonly row: Row
  /** Absent until it was judged. */
  ending?: 'passed' | Violation
  /** Sent with others it got no response, or no success. */
  isAlone?: true
  /** Taken to be sent once more. */
  isAgain?: true
}

interface Row {
  readonly id: string
  readonly operation: Operation
  readonly values: Value[]
  /** Whether its result is known: nothing more of it is sent. */
  isOver: boolean
  /** Numbers of the requests of other rows that had its values. */
  readonly seqs: number[]
}

const isJudged = ({ ending }: Value): boolean => ending !== undefined

const countParts = ({ parts }: Value): number => Object.keys(parts).length

const countFailures = ({ values }: Row): number =>
  values.filter(({ ending }) => ending instanceof Violation).length

/** What is left of a row that failed often is not sent. */
function* wanted(row: Row): Generator<Value> {
  for (const value of row.values)
    if (isJudged(value) || countFailures(row) < maxFailures) yield value
}

/** @param taken parts of which none is added */
const fill = (
  first: readonly Value[],
  left: readonly Value[],
  taken: readonly string[] = [],
): readonly Value[] => {
  const pack = [...first]
  const parts = new Set([...taken, ...first.flatMap((value) => Object.keys(value.parts))])
  for (const value of left) {
    if (pack.length >= maxPieces) break
    const own = Object.keys(value.parts)
    if (own.some((part) => parts.has(part))) continue
    pack.push(value)
    for (const part of own) parts.add(part)
  }
  return pack
}

/**
 * Leaves out one part after another, halves first and single ones last, as long as the rest fails.
 * @param fails whether these fail likewise
 */
export const leaveOut = async <T>(
  all: readonly T[],
  fails: (rest: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> => {
  let left = all
  for (let size = Math.ceil(all.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < left.length && left.length > 1; ) {
      const end = Math.min(at + size, left.length)
      const rest = [...left.slice(0, at), ...left.slice(end)]
      if (rest.length > 0 && (await fails(rest))) left = rest
      else at += size
    }
  }
  return left
}

/** @returns what it throws, if that is a Violation */
const violationIn = async (work: Promise<unknown>): Promise<Violation | undefined> => {
  try {
    await work
    return undefined
  } catch (error) {
    if (error instanceof Violation) return error
    throw error
  }
}

/** The values of the rows of one run, and what became of them. */
export class Packs {
  readonly #rows = new Map<string, Row>()
  readonly #carried = new WeakMap<ApiRequest, { values: readonly Value[]; status: number }>()

  /** @param checks in the order of the run */
  constructor(
    checks: readonly SendingCheck[],
    contextOf: (id: string) => Context,
    valuesOf: Draw['valuesOf'],
  ) {
    for (const check of checks) {
      const { id, pack } = check
      if (!pack) continue
      const context = contextOf(id)
      const row: Row = { id, operation: pack, values: [], isOver: false, seqs: [] }
      for (const [words, , parts = {}] of valuesOf(check))
        row.values.push({ id, words, parts, context, row })
      this.#rows.set(id, row)
    }
  }

  readonly seqsOf = (id: string): readonly number[] => this.#rows.get(id)?.seqs ?? []

  /**
   * Sends what a row needs, in packs with values of later rows.
   * @throws Violation with all that failed of this row
   */
  async run(id: string, send: SendPack): Promise<void> {
    const row = this.#rows.get(id)
    if (!row) throw new Error(`${id} is not among the checks of this run`)
    try {
      await expectEach(wanted(row), async (value) => {
        while (!isJudged(value)) await this.#judge(this.#packWith(value), send)
        if (value.ending instanceof Violation) throw value.ending
      })
      row.isOver = true
    } catch (error) {
      row.isOver = error instanceof Violation
      throw error
    }
  }

  /** Packs of values that were not sent yet, for so many requests that have these parts. */
  take(operation: Operation, count: number, taken: readonly string[]) {
    let left = this.#left(operation)
    return Array.from({ length: count }, () => {
      const pieces = fill([], left, taken)
      left = left.filter((value) => !pieces.includes(value))
      return pieces
    })
  }

  /** What was served, each value once more, in at most so many packs; first ones come first. */
  again(operation: Operation, count: number): readonly (readonly Piece[])[] {
    let left = [...this.#rows.values()]
      .filter((row) => row.operation === operation)
      .flatMap(({ values }) => values.map((value, nth) => ({ value, nth })))
      .toSorted((a, b) => a.nth - b.nth)
      .map(({ value }) => value)
      .filter((value) => value.ending === 'passed' && !value.isAgain)
    const packs: (readonly Piece[])[] = []
    while (left.length > 0 && packs.length < count) {
      const pack = fill([], left)
      packs.push(pack)
      for (const value of pack) value.isAgain = true
      left = left.filter((value) => !value.isAgain)
    }
    return packs
  }

  /** Values of `take`, in a request of a program: they pass where it gets this status. */
  carry(pieces: readonly Piece[], request: ApiRequest, status: number): ApiRequest {
    this.#carried.set(request, { values: pieces as readonly Value[], status })
    return request
  }

  readonly learn = ({ apiRequest, response, seq }: AnsweredExchange): void => {
    const { values = [], status } = this.#carried.get(apiRequest) ?? {}
    if (response.status !== status) return
    for (const value of values) {
      value.ending = 'passed'
      value.row.seqs.push(seq)
    }
  }

  /**
   * Those that may be sent with others: of rows with few values first, as others find room, and of
   * these the values of many parts. What a row has left once it failed is not for others.
   */
  #left(operation: Operation, own?: Row): readonly Value[] {
    const rows = own && countFailures(own) > 0 ? [own] : [...this.#rows.values()]
    const isUsable = (row: Row) => row === own || (!row.isOver && countFailures(row) === 0)
    return rows
      .filter((row) => isUsable(row) && row.operation === operation)
      .flatMap(({ values }) => values.filter((value) => !isJudged(value) && !value.isAlone))
      .sort((a, b) => a.row.values.length - b.row.values.length || countParts(b) - countParts(a))
  }

  #packWith(first: Value): readonly Value[] {
    return fill([first], first.isAlone ? [] : this.#left(first.row.operation, first.row))
  }

  /** At least one of them is judged then. */
  async #judge(pack: readonly Value[], send: SendPack): Promise<void> {
    const violation = await violationIn(this.#send(pack, send))
    if (!violation) return
    // Where the plain request fails too, or nothing fails again, no value is the reason: it is
    // shown by the row whose turn it is.
    const plain = pack.length > 1 ? await violationIn(this.#send([], send)) : violation
    let [failing, found] = [pack.slice(0, 1), plain ?? violation]
    const fails = async (values: readonly Value[]): Promise<boolean> => {
      const again = await violationIn(this.#send(values, send))
      if (again) [failing, found] = [[...values], again]
      return again !== undefined
    }
    // What came first of a pack is more often the reason, so the rest is left out first.
    const failsTurned = (values: readonly Value[]) => fails(values.toReversed())
    if (!plain && (await fails(pack))) await leaveOut(pack.toReversed(), failsTurned)
    for (const value of failing) value.ending = found
  }

  /** Judges what was served; what was not is sent alone next. */
  async #send(values: readonly Value[], send: SendPack): Promise<void> {
    const [first, ...others] = values
    const leaveAlone = (left: readonly Value[]) => {
      for (const value of left) value.isAlone = true
    }
    try {
      const { seq, isServed } = await send(values)
      const judged = isServed ? values : values.slice(0, 1)
      for (const value of judged) {
        value.ending = 'passed'
        if (value.id !== first?.id) value.row.seqs.push(seq)
      }
      if (!isServed) leaveAlone(others)
    } catch (error) {
      if (error instanceof NoResponseError && others.length > 0) leaveAlone(values)
      throw error
    }
  }
}
