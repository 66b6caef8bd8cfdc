// The catalogue: its ids, and what a whole run costs by what its questions declare.
import { expect, test } from 'vitest'
import { catalogue } from './index.ts'
import { isAsked } from './kit/order.ts'
import { costOf } from './kit/plan.ts'

const ids = catalogue.map(({ id }) => id)
const asked = catalogue.filter(isAsked)

test('each id is in kebab-case, and there once', () => {
  expect(ids.filter((id) => !/^[a-z]+(-[a-z0-9]+)+$/.test(id))).toEqual([])
  expect(ids.filter((id) => id.split('-').includes('should'))).toEqual([])
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
})

test('the contract fits into four minutes of a Free key', () => {
  const cost = costOf(catalogue, {
    allow: ['write'],
    keys: [],
    clockUrl: 'http://clock',
    descriptionUrl: null,
  })
  expect(cost.keyed).toBeLessThanOrEqual(240)
  expect(cost.anonymous).toBeLessThanOrEqual(80)
})

test('what creates animals asks for the permission to write', () => {
  const creating = asked.filter(({ needs }) => ['refusals', 'creations'].includes(needs.stage))
  expect(creating.filter(({ needs }) => !needs.allow?.includes('write'))).toEqual([])
})

test('what fetches one animal says so', () => {
  const fetching = asked.filter(({ requirement }) => /^get\.(?!repl)/.test(requirement))
  const silent = fetching.filter(({ needs }) => !needs.getPet && needs.keyed > 0)
  expect(silent.map(({ id }) => id)).toEqual([])
})
