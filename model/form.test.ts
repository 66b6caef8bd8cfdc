// The pets of a success: those of this run have to be right, what an earlier run left is said.
import { expect, test } from 'vitest'
import { post } from '../history/exchange.ts'
import { clauseNamed, fakeExchange, fakeTrace, judged } from '../tests/fake-exchange.ts'
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

test('an array in a list is the pet that its creation was accepted for', () => {
  const array = clauseNamed(formClauses, 'list-body-array')
  const made = fakeExchange(post('/pets', '["petvet-now-2",1]'), { status: 201, body: '{"id":8}' })
  const list = fakeExchange('/pets', { status: 200, body: '[["petvet-now-2",1.5]]', seq: 2 })
  expect(judged(array, made, list)).toContain('an array with an array in it')
  const found = [made, list] as const
  try {
    array.judge(list, fakeTrace(...found))
  } catch (error) {
    expect(error).toMatchObject({ evidence: found, wrong: { ofPet: true } })
  }
})
