// What a result keeps of the findings of one check.
import { expect, test } from 'vitest'
import { post } from '../../history/exchange.ts'
import { sent, status } from '../../tests/fakes/fake-failures.ts'
import { joined } from '../check/findings.ts'
import { Redactor } from '../http/redact.ts'
import { makeResult } from './results.ts'

test('a refusal next to what breaks the server is kept with its request', () => {
  const refused = post('/pets', '{"name":"Rex the Long","categoryId":1}')
  const all = [sent('/pets', 503), sent('/pets', 503), sent(refused, 400)]
  const error = joined(
    all.map((one) => status({ statuses: [[200, 201]] }, one)),
    all.length,
    'responses',
  )
  const evidence = (seq: number) => ({ seq, request: {}, response: null, curl: '' })
  const writer = {
    ...{ redactor: new Redactor(), trace: all, shows: () => undefined, options: {} },
    evidenceOf: ({ seq }: { readonly seq: number }) => evidence(seq),
  }
  const judged = { id: 'walk-statuses', requirement: 'list.success' } as const
  const { findings } = makeResult(judged, { kind: 'threw', error }, 3, writer as never)
  expect(findings?.map((each) => [each.status, each.evidence?.request !== undefined])).toEqual([
    [503, false],
    [400, true],
  ])
})
