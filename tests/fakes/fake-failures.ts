// Failed checks from real violations, and their headlines.

import { withCauses } from '../../causes/diagnose.ts'
import { explain } from '../../causes/findings.ts'
import { joined } from '../../engine/check/findings.ts'
import type { RunFile } from '../../engine/check/run-file.ts'
import { type AnsweredExchange, type ApiRequest, post } from '../../history/exchange.ts'
import { Violation } from '../../history/outcome.ts'
import { type Demanded, exactly, upTo499 } from '../../history/statuses.ts'
import type { Wrong } from '../../history/wrong.ts'
import { violateAs, violateStatus } from '../../model/clause.ts'
import { type FakeAnswer, fakeExchange } from './fake-exchange.ts'

let seq = 0
let checks = 0

type Sent = Partial<FakeAnswer> & { readonly movedMs?: number }

export const sent = (
  request: ApiRequest | string,
  status: number,
  own: Sent = {},
): AnsweredExchange => {
  seq += 1
  const { movedMs = 0, ...answer } = own
  return { ...fakeExchange(request, { body: '{"id":7}', seq, ...answer, status }), movedMs }
}

export const create = (members: string) => post('/pets', `{"name":"Rex","categoryId":1,${members}}`)

export const thrownBy = (violate: () => void): Violation => {
  try {
    violate()
  } catch (error) {
    if (error instanceof Violation) return error
  }
  throw new Error('no violation')
}

interface Found {
  readonly trace?: readonly AnsweredExchange[]
  readonly outcome?: 'fail' | 'warn'
  readonly judged?: number
}

/** A failed check with these violations. */
export const failed = (found: readonly Violation[], own: Found = {}) => {
  const { trace = [], outcome = 'fail', judged = found.length } = own
  const evidence = found.flatMap((each) => each.evidence)
  const all = [...new Set([...trace, ...evidence])].toSorted((a, b) => a.seq - b.seq)
  const violation = joined(found, judged, 'responses') as Violation
  const { shown, findings } = explain(violation, all)
  const { expected, actual } = shown
  checks += 1
  const id = `check-${checks}`
  return { id, requirement: 'list.success', outcome, expected, actual, evidence: [], findings }
}

export const headlines = (...checks: readonly ReturnType<typeof failed>[]): string[] =>
  (withCauses({ checks } as never as RunFile).causes ?? []).map(({ observed }) => observed)

export const no5xx = { statuses: [upTo499] }

export const status = (due: number | Demanded, exchange: AnsweredExchange) =>
  thrownBy(() => violateStatus(typeof due === 'number' ? exactly(due) : due, exchange))
export const wrongly = (
  wrong: Wrong,
  expected: string,
  actual: string,
  ...all: AnsweredExchange[]
) => thrownBy(() => violateAs(wrong, expected, actual, ...all))

export const served = [
  sent('/pets', 200),
  sent('/pets/7', 200),
  sent(create('"status":"sold"'), 201),
]
