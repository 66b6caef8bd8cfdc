// The laws of the limiter as clauses: the calls of each key, judged by one relation.

import {
  type AnsweredExchange,
  isSuccess,
  recognizeOperation,
  statusCode,
} from '../../history/exchange.ts'
import type { History } from '../../history/history.ts'
import { Inapplicable, Suspicion, Untested } from '../../history/outcome.ts'
import { isShutOut } from '../../history/rate-headers.ts'
import { type Clause, clause, violateAs } from '../clause.ts'
import type { LawId } from './breach.ts'
import { relationOf } from './relation.ts'

const isCall = (exchange: AnsweredExchange): boolean =>
  exchange.key !== null && recognizeOperation(exchange) !== undefined

const isServed = (exchange: AnsweredExchange): boolean => isCall(exchange) && isSuccess(exchange)
const is429 = (exchange: AnsweredExchange): boolean =>
  isCall(exchange) && statusCode(exchange) === 429

const isShut = (exchange: AnsweredExchange): boolean => isCall(exchange) && isShutOut(exchange)

const others = 'another client may have used the key (ambiguous)'

/** Throws if a response violates a law, or may. @returns whether it was looked at */
export const judgeLaw = (id: LawId, exchange: AnsweredExchange, history: History): boolean => {
  const relation = relationOf(history)
  const found = relation.of(id, exchange)
  if (!found) return relation.wasTried(id, exchange)
  const evidence = found.calls.map((call) => call.exchange)
  const { wrong, expected, actual, isViolation } = found
  if (isViolation) violateAs({ ...wrong, ofKey: true }, expected, actual, ...evidence)
  throw new Suspicion(`${found.actual}: another client may have used the key`, evidence)
}

type Declared = Omit<Parameters<typeof clause>[0], 'id' | 'judge' | 'applies' | 'inconclusive'>

/** @param untried why no call was tried, if not every one that it applies to is; `optional` too */
const law = (
  id: LawId,
  applies: Clause['applies'],
  declared: Declared & { readonly untried?: string },
): Clause => {
  const { untried, ...rest } = declared
  return clause({
    ...rest,
    id,
    inconclusive: others,
    applies,
    judge: (exchange, history) => {
      if (judgeLaw(id, exchange, history) || untried === undefined) return
      if (declared.optional === untried) throw new Inapplicable(untried)
      throw new Untested('ambiguous', untried)
    },
  })
}

const twice = 'on two occasions at the same place'

/** Why no call could have broken a law. */
export const whyUntried = (id: string): string =>
  limiterClauses.find((one) => one.id === id)?.optional ?? 'no response could have shown it'

export const limiterClauses: readonly Clause[] = [
  law('limit-not-early', isCall, {
    requirement: 'limits.not-early',
    judges: 'Every 429, with the latest responses before it that gave Remaining.',
    fails: `A refusal while more calls remained than were in flight, ${twice}.`,
  }),
  law('refusal-remaining-zero', is429, {
    requirement: 'headers.agree',
    judges: 'Every 429 that carries the three headers and follows no other refusal.',
    fails: 'A Remaining above 0, on two occasions.',
    optional: 'no call was refused for its quota',
  }),
  law('limit-not-late', isServed, {
    requirement: 'limits.not-late',
    judges: 'Every 200 and 201 to a valid key.',
    fails:
      "More than twice the plan's number served in less than a minute or a day; more than the " +
      'number until one declared Reset, or after a rest of two windows. What a bucket gives back ' +
      'meanwhile is added.',
  }),
  law('refills-minute-apart', isServed, {
    requirement: 'limits.window-ends',
    judges:
      'Every 200 and 201 to a valid key with which Remaining rose by more than tokens and calls ' +
      'that leave a log explain.',
    fails: 'Two of them less than a window (minus 3 s of grace) apart.',
    untried: 'no key was seen to refill twice',
  }),
  law('limit-not-below-quota', isCall, {
    requirement: 'limits.window-ends',
    judges:
      'Every refusal that follows no other one, by the calls of its key in the two windows ' +
      'before; every call after 75 s of silence, and after two windows of silence.',
    fails:
      "Refused with fewer calls than half the plan's number, or after 75 s of silence; less " +
      `remains than the whole after two windows, or than before after a Reset; ${twice}.`,
    optional: 'no call was refused, and no key was silent for long',
    untried: 'no call was refused, and no key was silent for long',
  }),
  law('remaining-falls-by-one', isServed, {
    requirement: 'headers.remaining.falls',
    judges: 'Every served call of a key after which no window may have ended.',
    fails:
      'Remaining falls by more than the calls meanwhile, with each call or with one kind of ' +
      "request of the run; other clients do not follow the run's requests.",
    untried: 'no two responses about one window were observed',
  }),
  law('remaining-rises-at-reset', (one) => isCall(one) && !is429(one), {
    requirement: 'headers.remaining.rises',
    judges: 'Every response to a valid key but 429, with earlier ones about the same window.',
    fails:
      'A Remaining above what any design could have given back before the announced Reset: ' +
      'tokens, ticks of a tenth of the window, calls that leave a log.',
  }),
  law('reset-not-moved-back', isServed, {
    requirement: 'headers.reset.kept',
    judges: 'Each two consecutive served calls of a key.',
    fails:
      'On three occasions within one window a Reset more than 5 s before one that was announced ' +
      'and has not come. It is a should.',
  }),
  law('retry-after-each-served', isCall, {
    requirement: 'retry-after.true',
    judges:
      'Every call that its key sent after as long a silence as its latest responses, refusals, ' +
      'had stated.',
    fails: 'It is refused, on two occasions.',
    optional: 'no key was refused and then silent for as long as stated',
    untried: 'no key was refused and then silent for as long as stated',
  }),
  law('ban-only-after-refusals', isCall, {
    requirement: 'ban.only-repeated',
    judges: 'Every call of a key that was not refused for a day.',
    fails: `401 or 403 right after a call that was served, ${twice}.`,
    optional: 'no key was called again after a day without a refusal',
    untried: 'no key was called again after a day without a refusal',
  }),
  law('ban-temporary', isShut, {
    requirement: 'ban.ends',
    judges: 'Every refusal that follows another one, and so may be a ban.',
    fails: 'It states a wait of more than ten years.',
    optional: 'no key was refused twice',
    untried: 'no key was refused twice',
  }),
  law('quota-429-status', (one) => isCall(one) && !isSuccess(one), {
    requirement: 'limits.429',
    judges: 'Every response but success after which no request remained, by the numbers before it.',
    fails:
      'It is no 429, and no response near it is, though the same request was served before; 401 ' +
      'and 403, which may be a ban that another client has drawn, on two occasions.',
    optional: 'no call was refused once nothing remained',
    untried: 'no call was refused once nothing remained',
  }),
  law('retry-after-present', is429, {
    requirement: 'retry-after.present',
    judges: 'Every 429; without `Retry-After` only those that follow no other refusal.',
    fails:
      '`Retry-After` is missing, occurs twice, is neither whole seconds nor an HTTP-date (the ' +
      'two obsolete forms are accepted), or is not in the future. A missing one, where another ' +
      'client may have caused a ban, on two occasions.',
    optional: 'no call was refused for its quota',
    untried: 'no first refusal was seen, or without `Date` its date cannot be judged',
  }),
  law('retry-after-not-excessive', is429, {
    requirement: 'retry-after.excess',
    judges: 'Every 429 for a minute that follows no other refusal.',
    fails:
      'The wait ends more than ten minutes after Reset, although the key was served within two ' +
      'minutes after its minute had been spent. It is a should.',
    optional: 'no call was refused for its quota',
    untried: 'no refusal stated a wait and a Reset',
  }),
  law('ban-retry-after', isShut, {
    requirement: 'ban.retry-after',
    judges: 'Every refusal that follows another one, and so may be a ban.',
    fails: 'It has no valid `Retry-After`, or one that is not in the future. It is a should.',
    optional: 'no key was refused twice',
    untried: 'no ban was seen, or without `Date` its wait cannot be judged',
  }),
]
