// What a list or a GET shows, where pets share an id, or replicas do not share their pets.
import { expect, test } from 'vitest'
import { post } from '../history/exchange.ts'
import { clauseNamed, fakeExchange, judged } from '../tests/fakes/fake-exchange.ts'
import { fetchedClauses } from './fetched.ts'
import { shownClauses } from './shown.ts'

const pet = (id: number, name: string) => JSON.stringify({ id, name, categoryId: 1 })
const listed = (path: string, pets: readonly string[], sentMs: number) => ({
  ...fakeExchange(path, { status: 200, body: `[${pets}]` }),
  sentMs,
  receivedMs: sentMs + 1,
})
const created = (id: number, name: string) =>
  fakeExchange(post('/pets', JSON.stringify({ name, categoryId: 1 })), {
    status: 201,
    body: pet(id, name),
  })

const lacking = clauseNamed(shownClauses, 'list-limit-no-fewer')

test.for([
  ['two pets with one id', [pet(1, 'a'), pet(2, 'b'), pet(2, 'c')], 'holds'],
  ['two equal pets that were given one id', [pet(1, 'a'), pet(4, 'd'), pet(4, 'd')], 'holds'],
  [
    'one pet twice',
    [pet(1, 'a'), pet(2, 'b'), pet(2, 'b')],
    'expected at least 3 pets, since 3 pets are known to match; ' +
      'actual: 3 pets, of which 2 differ, without pet 3',
  ],
] as const)('a list as long as its limit, with %s', ([, pets, found]) => {
  const known = [
    ...[created(1, 'a'), created(2, 'b'), created(3, 'e')],
    ...[created(4, 'd'), created(4, 'd')],
  ]
  expect(judged(lacking, ...known, listed('/pets?limit=3', pets, 2_000))).toBe(found)
})

const tenPets = Array.from({ length: 10 }, (_, at) => pet(at + 1, `p${at}`))
const tenMade = tenPets.map((_, at) => ({ ...created(at + 1, `p${at}`), seq: at + 1 }))

test.for([
  ['the first of them', tenPets.slice(0, 5), 'without pet 10 and 4 others, created after all that'],
  ['the last of them', tenPets.slice(5), 'without pet 5 and 4 others, created before all that'],
  ['any of them', tenPets.filter((_, at) => at % 2 === 0), 'without pet 10'],
  ['all but one', tenPets.slice(0, 9), 'without pet 10'],
] as const)('what a list lacks that has %s', ([, pets, says]) => {
  const said = judged(lacking, ...tenMade, listed('/pets?limit=20', pets, 2_000))
  expect(said).toContain(`, ${says}`)
  expect(said.includes('others')).toBe(says.includes('others'))
})

const fetched = clauseNamed(fetchedClauses, 'get-each-known-200')
const missing = {
  ...fakeExchange('/pets/1', { status: 404, body: '{}', seq: 2 }),
  sentMs: 5,
}
const found = (opened: boolean) => {
  const exchange = fakeExchange('/pets/1', { status: 200, body: pet(1, 'a'), seq: 3 })
  return {
    ...exchange,
    response: { ...exchange.response, ...(opened && { opened: true as const }) },
  }
}

test.for([
  [true, '404 on one connection, and 200 on another'],
  [false, '404 {}'],
] as const)(
  'a pet that is missing, and there again on a new connection: %s',
  ([opened, actual]) => {
    const said = judged(fetched, created(1, 'a'), found(opened), missing)
    expect(said).toMatch(/200 for the pet 1; actual: /)
    expect(said.endsWith(actual)).toBe(true)
  },
)

const traces = clauseNamed(shownClauses, 'create-refused-no-trace')

test.for([
  ['of this run', 7, /pet 9 was stored by POST \/pets .*without name.*, which got 400/],
  ['that any other run may have used', 2_000_000, /^holds$/],
] as const)('a pet with the category of a refused creation, %s', ([, categoryId, says]) => {
  const body = JSON.stringify({ categoryId })
  const refused = fakeExchange(post('/pets', body), { status: 400, body: '{}' })
  const other = JSON.stringify({ id: 9, name: '0012', categoryId })
  expect(judged(traces, refused, listed('/pets', [other], 5_000))).toMatch(says)
})
