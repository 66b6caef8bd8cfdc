// The pets of a success: those of this run have to be right, what an earlier run left is said.
import { expect, test } from 'vitest'
import { clauseNamed, fakeExchange, fakeTrace } from '../tests/fakes/fake-exchange.ts'
import { formClauses } from './form.ts'

const listed = (name: string) =>
  fakeExchange('/pets', {
    status: 200,
    body: JSON.stringify([{ id: 7, name, categoryId: 1, status: 'gone' }]),
  })

test('what an earlier run left is said, and fails nothing', () => {
  const { judge } = clauseNamed(formClauses, 'pet-status-listed')
  const [left, own] = ['petvet-before-1', 'petvet-now-1'].map(listed)
  if (!left || !own) throw new Error('no list')
  const historyOf = (list: typeof left) => {
    const trace = fakeTrace(list)
    return { ...trace, names: { ...trace.names, mark: 'petvet-now-' } }
  }
  expect(() => judge(left, historyOf(left))).toThrow(
    'pet 7 was made by an earlier run, delete it: status "gone"',
  )
  expect(() => judge(own, historyOf(own))).toThrow('expected a status of')
})
