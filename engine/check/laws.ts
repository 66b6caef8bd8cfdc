// What the laws of the limiter, or clauses, find about some responses of a run.

import type { AnsweredExchange } from '../../history/exchange.ts'
import type { History } from '../../history/history.ts'
import { Untested, Violation } from '../../history/outcome.ts'
import type { Clause } from '../../model/clause.ts'
import type { LawId } from '../../model/limiter/laws.ts'
import { judgeLaw } from '../../model/limiter/limits.ts'
import { Collected } from './findings.ts'

/** Throws what is wrong, or in doubt. @returns whether the response could have shown it */
const judge = (law: LawId | Clause, exchange: AnsweredExchange, history: History): boolean => {
  if (typeof law === 'string') return judgeLaw(law, exchange, history)
  if (!law.applies(exchange)) return false
  law.judge(exchange, history)
  return true
}

const lookAt = (law: LawId | Clause, exchange: AnsweredExchange, history: History) => {
  try {
    return judge(law, exchange, history)
  } catch (error) {
    if (error instanceof Violation || error instanceof Untested) return error
    throw error
  }
}

interface Found {
  readonly doubt: Untested | undefined
  /** The violation, or else the doubt. */
  readonly error: Violation | Untested | undefined
  /** Whether any response could have shown a violation. */
  readonly wasTried: boolean
}

/** @param history as it is now: what is derived from it is remembered */
export const judgeResponses = (
  history: History,
  responses: readonly AnsweredExchange[],
  laws: readonly (LawId | Clause)[],
): Found => {
  const found = laws.flatMap((law) => responses.map((one) => lookAt(law, one, history)))
  const collected = new Collected(history.exchanges)
  for (const one of found) if (one instanceof Violation) collected.add(one)
  const doubt = found.find((one) => one instanceof Untested)
  const error = collected.violation(responses.length, 'responses') ?? doubt
  return { doubt, error, wasTried: found.includes(true) }
}
