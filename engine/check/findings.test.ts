// What one check found, as data: each kind with its number.
import { describe, expect, test } from 'vitest'
import { Untested } from '../../history/outcome.ts'
import { asHeader, violateAs } from '../../model/clause.ts'
import { fakeExchange } from '../../tests/fakes/fake-exchange.ts'
import { thrownBy } from '../../tests/fakes/fake-failures.ts'
import { expectStatus } from '../../tests/plain-checks.ts'
import { expectEach, joined } from './findings.ts'

const sent = (status: number) => fakeExchange('/pets', { status, body: '{}' })

const missing = (status: number) =>
  thrownBy(() =>
    violateAs(asHeader('Date', 'missing'), 'a Date', `none on a ${status}`, sent(status)),
  )

test('what is kept is limited, and the rest counted', () => {
  const statuses = Array.from({ length: 100 }, (_, at) => 400 + at)
  const all = statuses.map(missing)
  const violation = joined(all, 100, 'responses')
  expect(violation?.kinds).toHaveLength(40)
  expect(violation?.actual).toMatch(/; 96 other kinds \(100 of 100 responses\)$/)
})

describe('each of several values', () => {
  const judged = async (statuses: readonly number[]) => {
    const seen: number[] = []
    const ended = await expectEach(statuses, async (status) => {
      seen.push(status)
      if (status === 429) throw new Untested('blocked', 'refused')
      expectStatus(sent(status), 400)
    }).then(
      () => 'pass',
      (error: Error) => error.message,
    )
    return { seen, ended }
  }

  test('is judged, also after a violation', async () => {
    const { seen, ended } = await judged([400, 201, 500, 400])
    expect(seen).toEqual([400, 201, 500, 400])
    expect(ended).toMatch(/actual: 201 {} \(1 time\); 500 {} \(1 time\) \(2 of 4 values\)/)
  })

  test('and after two that block', async () => {
    expect(await judged([400, 429])).toEqual({ seen: [400, 429], ended: 'refused' })
    const { seen, ended } = await judged([400, 429, 201, 429, 429, 400])
    expect(seen).toEqual([400, 429, 201, 429, 429])
    expect(ended).toMatch(/actual: 201 {} \(1 of 2 values\)/)
  })
})
