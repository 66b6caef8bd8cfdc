// Checks for tests that do not explain themselves: declared by position, with placeholder texts.

import * as declare from '../engine/check/declare.ts'
import { type AnsweredExchange, statusCode } from '../history/exchange.ts'
import { exactly } from '../history/statuses.ts'
import { clause as declareClause, violateStatus } from '../model/clause.ts'

type Checked = Parameters<typeof declare.check>[0]
type Observed = Parameters<typeof declare.observe>[0]
type Judged = Parameters<typeof declareClause>[0]

export const explained = { sends: 'One request.', fails: 'Any other response.' }

export const check = (
  id: string,
  requirement: Checked['requirement'],
  needs: Checked['needs'],
  run: NonNullable<Checked['run']>,
) => declare.check({ id, requirement, needs, ...explained, run })

export const observe = (
  id: string,
  requirement: Observed['requirement'],
  needs: Observed['needs'],
  run: NonNullable<Observed['run']>,
) => declare.observe({ id, requirement, needs, sends: 'One request.', records: 'It.', run })

/** Holds for every response. */
export const always = () =>
  clause(
    'always',
    'service.json',
    () => true,
    () => {},
  )

export const clause = (
  id: string,
  requirement: Judged['requirement'],
  applies: Judged['applies'],
  judge: Judged['judge'],
) => {
  const texts = { judges: 'Every response.', fails: explained.fails }
  return declareClause({ id, requirement, ...texts, applies, judge })
}

export const expectStatus = (exchange: AnsweredExchange, ...allowed: number[]): void => {
  if (!allowed.includes(statusCode(exchange))) violateStatus(exactly(...allowed), exchange)
}
