// The faults of which each run asks some: each is one, and each run asks about every kind.
import { expect, test } from 'vitest'
import { takenFrom } from '../../engine/chance.ts'
import type { Context } from '../../engine/context.ts'
import type { JsonObject } from '../../engine/json.ts'
import { isInt64, isObject, parseJson } from '../../engine/json.ts'
import type { ApiRequest } from '../../engine/request.ts'
import { fakeExchange } from '../../tests/fake-exchange.ts'
import { otherFaults } from './other-faults.ts'

const body = '{"code":"c","message":"m","status":400}'

/** The bodies that one run sends. */
const sentWith = async (seed: number): Promise<string[]> => {
  const sent: string[] = []
  const context = {
    seed,
    names: { mark: 'petvet-', fresh: () => 'petvet-1' },
    newPet: (members: JsonObject = {}) => ({ name: 'petvet-1', categoryId: 5n, ...members }),
    control: () => Promise.resolve(),
    sample: <T>(all: readonly T[], count: number) => takenFrom(all, count, seed),
    call: async (request: ApiRequest) => {
      sent.push(String(request.body))
      return fakeExchange(request, { status: 400, body })
    },
  } as unknown as Context
  await otherFaults.run(context)
  return sent
}

/** More than there are faults, so that each comes. */
const runs = await Promise.all(Array.from({ length: 60 }, (_, seed) => sentWith(seed)))

const isJson = (text: string): boolean => {
  try {
    parseJson(text)
    return true
  } catch {
    return false
  }
}

const values = ['available', 'pending', 'sold']

const isSound = (text: string): boolean => {
  const value = isJson(text) ? parseJson(text) : null
  if (!isObject(value) || typeof value.name !== 'string' || !isInt64(value.categoryId)) return false
  const { status } = value
  return status === undefined || (typeof status === 'string' && values.includes(status))
}

test('none of them is a sound animal', () => {
  expect(runs.flat().filter(isSound)).toEqual([])
})

test('each of them comes with some seed', () => {
  const telling = ['"NAME"', '"CategoryId"', '"constructor"', '"__proto__"', ':1e400', ':Infinity']
  for (const part of telling) {
    expect(runs.flat().some((text) => text.includes(part))).toBe(true)
  }
})

test('a run sends as many as it declares, and some of them are no JSON', () => {
  for (const sent of runs) expect(sent).toHaveLength(otherFaults.needs.keyed)
  expect(runs.flat().every(isJson)).toBe(false)
})
