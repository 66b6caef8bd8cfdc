// The laws of the limiter as clauses: the calls of each key, judged by one relation.

import type { AnsweredExchange } from '../../history/exchange.ts'
import type { History } from '../../history/history.ts'
import { Inapplicable, Suspicion, Untested } from '../../history/outcome.ts'
import { type Clause, clause, violateAs } from '../clause.ts'
import { isCall, type LawId, laws } from './laws.ts'
import { relationOf } from './relation.ts'

/** Throws if a response violates a law, or may. @returns whether it was looked at */
export const judgeLaw = (id: LawId, exchange: AnsweredExchange, history: History): boolean => {
  const relation = relationOf(history)
  const found = relation.of(id, exchange)
  if (!found) return relation.wasTried(id, exchange)
  const evidence = found.calls.map((call) => call.exchange)
  const { wrong = { aspect: 'status' }, expected, actual, isViolation } = found
  if (isViolation) violateAs({ ...wrong, ofKey: true }, expected, actual, ...evidence)
  throw new Suspicion(`${actual}: another client may have used the key`, evidence)
}

export const limiterClauses = Object.entries(laws).map(
  ([id, { applies = isCall, untried, ...declared }]): Clause =>
    clause({
      ...declared,
      id,
      inconclusive: 'another client may have used the key (ambiguous)',
      applies: (exchange) => isCall(exchange) && applies(exchange),
      judge: (exchange, history) => {
        if (judgeLaw(id as LawId, exchange, history)) return
        if (untried !== undefined) throw new Untested('ambiguous', untried)
        if (declared.optional !== undefined) throw new Inapplicable(declared.optional)
      },
    }),
)

/** Why no call could have broken a law. */
export const whyUntried = (id: string): string =>
  laws[id as LawId]?.optional ?? 'no response could have shown it'
