// Which servers are given up: those that stay silent, not those of a moment.
import { expect, test } from 'vitest'
import { Reach } from './pace.ts'

const startMs = () => performance.now()

test('a server that is silent twice is given up while another responds', () => {
  const reach = new Reach()
  reach.note('good', false, startMs())
  reach.note('bad', true, startMs())
  expect(reach.isGivenUp('bad')).toBe(false)
  reach.note('bad', true, startMs())
  expect([reach.isGivenUp('bad'), reach.isGivenUp('good')]).toEqual([true, false])
})

test('requests in flight together are one failure, and a response ends it', () => {
  const reach = new Reach()
  const together = startMs()
  reach.note('good', false, together)
  reach.note('slow', true, together)
  reach.note('slow', true, together - 1)
  expect(reach.isGivenUp('slow')).toBe(false)
  reach.note('slow', false, together)
  reach.note('slow', true, startMs())
  reach.note('slow', true, startMs())
  expect(reach.isGivenUp('slow')).toBe(false)
})

test('where none responds it takes more', () => {
  const reach = new Reach()
  const given = [1, 2, 3, 4].map(() => {
    reach.note('only', true, startMs())
    return reach.isGivenUp('only')
  })
  expect(given).toEqual([false, false, false, true])
})
