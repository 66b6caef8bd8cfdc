// Each request that breaks the server has a headline; what is wrong with its response has none.

import { expect, test } from 'vitest'
import { type AnsweredExchange, post } from '../history/exchange.ts'
import { text } from '../history/text.ts'
import {
  create,
  failed,
  headlines,
  no5xx,
  sent,
  served,
  status,
  wrongly,
} from '../tests/fakes/fake-failures.ts'

const own = { trace: [...served, sent(post('/pets', '{"name":"Rex","categoryId":1}'), 201)] }
const byStatus = sent(create('"status":1'), 500)
const byName = sent(post('/pets', '{"name":1,"categoryId":1}'), 500)

const breaks = (...all: AnsweredExchange[]) => {
  const check = failed(
    all.map((one) => status(no5xx, one)),
    own,
  )
  const [first, ...others] = check.findings
  const evidence = { seq: 0, request: byName.request, response: null, curl: '' }
  const further = others.map((each) => ({ ...each, evidence }))
  return { ...check, findings: first ? [first, ...further] : [] }
}

test('what is wrong with their responses follows, whatever broke the server', () => {
  const isPage = (...all: AnsweredExchange[]) => {
    const wrong = { aspect: 'body', kind: 'a body that is no JSON', brief: text('it') } as const
    return failed(all.map((one) => wrongly(wrong, 'a JSON body', '', one)))
  }
  const all = breaks(byStatus, byName)
  expect(headlines(all, isPage(byStatus, byName))).toHaveLength(2)
  const refused = sent('/pets/x', 400)
  expect(headlines(all, isPage(byStatus, byName, refused))).toContain(
    'A 400 of GET /pets/{petId} has it',
  )
})

test('the value of an extra member, where others of it were served', () => {
  const trace = [...served, sent(create('"status":"sold","id":7'), 201)]
  const found = status(no5xx, sent(create('"status":"sold","id":90'), 500))
  expect(headlines(failed([found], { trace }))).toEqual([
    'POST /pets with id 90: 500; expected no 5xx response',
  ])
})
