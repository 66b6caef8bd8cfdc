// A headline names what decides, and a pair of requests shows it.
import { expect, test, vi } from 'vitest'
import { findSubject, isServer, makeTarget } from '../proof/subjects.ts'
import { mutants } from '../reference/mutants.ts'
import { replayPairs } from './replay-pairs.ts'
import { sample } from './sample.ts'

// On a busy machine a run and its pairs take long.
vi.setConfig({ testTimeout: 120_000 })

const serverOf = (id: string) => {
  const subject = findSubject(id)
  if (!isServer(subject)) throw new Error(`${id} is no server`)
  return makeTarget(subject)
}

const conditioned = mutants.filter(({ condition }) => condition !== undefined)

test.each(sample(conditioned, 5).map(({ id, condition = '' }) => [id, condition]))(
  '%s: the headline has the condition %s, and its pair holds',
  async (id, condition) => {
    const { run, broken } = await replayPairs(serverOf(id), 'full', 7)
    expect(run.causes?.map(({ observed }) => observed).join('\n')).toContain(condition)
    expect(broken).toEqual([])
  },
)

const usual = ['list-limit-1-refused', 'category-object-taken', 'body-no-json-500', 'get-by-double']

test.each(sample(usual, 2))('%s: the pairs of a run with one Free key hold', async (id) => {
  const { broken } = await replayPairs(serverOf(id), 'oneKey', 7)
  expect(broken).toEqual([])
})
