// Packs: what may share a request, and what of a pack that fails is found.

import { describe, expect, test } from 'vitest'
import { get } from '../../history/exchange.ts'
import { Violation } from '../../history/outcome.ts'
import { fakeExchange } from '../../tests/fakes/fake-exchange.ts'
import type { Context, Piece } from '../check/context.ts'
import { check, type SendingCheck } from '../check/declare.ts'
import { Packs, type SendPack } from './packs.ts'

type Values = readonly (readonly [words: string, parts: Record<string, unknown>])[]

const rowOf = (id: string, values: Values, operation = 'create'): SendingCheck =>
  check({
    ...{ id, requirement: 'create.success', sends: '', fails: '' },
    needs: { stage: 'creations' },
    values: values.map(([words, parts]) => [words, () => get('/pets'), parts]),
    pack: operation as 'create',
    run: async () => {},
  })

const names = rowOf('names', [
  ['Rex', { name: 'Rex' }],
  ['null', { name: 'null' }],
])
const category = rowOf('category', [['2^53', { categoryId: 1n }]])
const status = rowOf('status', [['sold', { status: 'sold' }]])
const fields = rowOf('fields', [
  ['a', { 'field a': 1 }],
  ['b', { 'field b': 1 }],
])
const all = [names, category, status, fields]

/** A run of rows at a target that refuses some packs. */
const runOf = (
  rows: readonly SendingCheck[],
  isRefused: (words: readonly string[], nth: number) => boolean | Error,
) => {
  const valuesOf = ({ values = [] }: SendingCheck) => values
  const packs = new Packs(rows, () => ({}) as Context, valuesOf)
  const sent: string[] = []
  const send: SendPack = async (pieces: readonly Piece[]) => {
    const words = pieces.map((piece) => piece.words)
    sent.push(words.join(' '))
    const refused = isRefused(words, sent.length)
    if (refused instanceof Error) throw refused
    const shown = fakeExchange('/pets', { status: 500, body: '{}', seq: sent.length })
    if (refused) throw new Violation('201', `500 for ${words.join(' and ')}`, [shown])
    return { seq: sent.length, isServed: true }
  }
  const endings: string[] = []
  const run = async ({ id }: SendingCheck) => {
    const ending = await packs.run(id, send).then(
      () => 'passed',
      (error) => (error instanceof Violation ? error.actual : `untested: ${error.message}`),
    )
    endings.push(`${id}: ${ending}`)
  }
  const runAll = async () => {
    for (const row of rows) await run(row)
    return endings
  }
  return { sent, runAll, run, endings, packs }
}

describe('a pack', () => {
  test('has one value of each part, and its rows pass where it does', async () => {
    const { sent, runAll, packs } = runOf(all, () => false)
    expect(await runAll()).toEqual(all.map(({ id }) => `${id}: passed`))
    expect(sent).toEqual(['Rex 2^53 sold a b', 'null'])
    expect([packs.seqsOf('names'), packs.seqsOf('fields')]).toEqual([[], [1, 1]])
  })

  test('has nothing of another operation', async () => {
    const list = rowOf('list', [['limit', { limit: 1 }]], 'list')
    const { sent, runAll } = runOf([status, list], () => false)
    await runAll()
    expect(sent).toEqual(['sold', 'limit'])
  })

  test('has at most 24 values', async () => {
    const many = rowOf(
      'many',
      Array.from({ length: 60 }, (_, at) => [`${at}`, { [`${at}`]: 1 }]),
    )
    const { sent, runAll } = runOf([many], () => false)
    await runAll()
    expect(sent.map((words) => words.split(' ').length)).toEqual([24, 24, 12])
  })
})

describe('of a pack that fails', () => {
  test('only the row fails that fails alone; the rest is sent again', async () => {
    const { sent, runAll } = runOf(all, (words) => words.includes('sold'))
    expect(await runAll()).toEqual([
      'names: passed',
      'category: passed',
      'status: 500 for sold',
      'fields: passed',
    ])
    // The plain request, the same again, then less of it.
    expect(sent).toEqual([
      ...['Rex 2^53 sold a b', '', 'Rex 2^53 sold a b', 'Rex 2^53'],
      ...['sold a b', 'sold a', 'sold', 'null a b'],
    ])
  })

  test('no value is the reason where the plain request fails too, or nothing again', async () => {
    const once = runOf(all, (_, nth) => nth === 1)
    expect((await once.runAll())[0]).toBe(
      'names: 500 for Rex and 2^53 and sold and a and b (1 of 2 values)',
    )
    expect(once.endings.slice(1)).toEqual(['category: passed', 'status: passed', 'fields: passed'])
    const always = runOf([status, category], () => true)
    expect(await always.runAll()).toEqual(['status: 500 for ', 'category: 500 for 2^53'])
    expect(always.sent).toEqual(['sold 2^53', '', '2^53'])
  })

  test('a row that failed often is left alone', async () => {
    const many = rowOf(
      'many',
      Array.from({ length: 60 }, (_, at) => [`${at}`, { name: at }]),
    )
    const { sent, runAll } = runOf([many], () => true)
    expect(await runAll()).toEqual([expect.stringContaining('(6 of 6 values)')])
    expect(sent).toHaveLength(6)
  })
})

test('what a program carried passes where it got the usual status', async () => {
  const { sent, runAll, packs } = runOf(all, () => false)
  const [first = [], second = [], none] = packs.take('create', 3, ['status'])
  const words = [first, second].map((pieces) => pieces.map((piece) => piece.words).join(' '))
  expect([...words, none]).toEqual(['2^53 Rex a b', 'null', []])
  for (const [pieces, status] of [
    [first, 201],
    [second, 400],
  ] as const) {
    const exchange = fakeExchange('/pets', { status, body: '{}', seq: 7 })
    packs.carry(pieces, exchange.apiRequest, 201)
    packs.learn(exchange)
  }
  expect(await runAll()).toEqual(all.map(({ id }) => `${id}: passed`))
  expect(sent).toEqual(['null sold'])
  expect(packs.seqsOf('category')).toEqual([7])
})
