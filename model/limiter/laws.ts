// The clauses that the laws of the limiter are judged under, and what a law reports: calls that no
// legal limiter answers so, or only with calls of other clients.

import { type AnsweredExchange, isSuccess, recognizeOperation } from '../../history/exchange.ts'
import { is429, isShutOut } from '../../history/rate-headers.ts'
import type { Wrong } from '../../history/wrong.ts'
import type { clause } from '../clause.ts'
import type { Call, Window } from './calls.ts'

interface Declared
  extends Omit<Parameters<typeof clause>[0], 'id' | 'judge' | 'applies' | 'inconclusive'> {
  /** Of the calls of keys; absent: all. */
  readonly applies?: (exchange: AnsweredExchange) => boolean
  /** Why none of them was tried, if that is not `optional`; without both it need not be. */
  readonly untried?: string
}

export const isCall = (exchange: AnsweredExchange): boolean =>
  exchange.key !== null && recognizeOperation(exchange) !== undefined

const twice = 'on two occasions at the same place'
const none429 = 'no call was refused for its quota'
const noBan = 'no key was refused twice'

const declared = {
  'limit-not-early': {
    requirement: 'limits.not-early',
    judges: 'Every 429, with the latest responses before it that gave Remaining.',
    fails: `A refusal while more calls remained than were in flight, ${twice}.`,
  },
  'refusal-remaining-zero': {
    applies: is429,
    requirement: 'headers.agree',
    judges: 'Every 429 that carries the three headers and follows no other refusal.',
    fails: 'A Remaining above 0, on two occasions.',
    optional: none429,
  },
  'limit-not-late': {
    applies: isSuccess,
    requirement: 'limits.not-late',
    judges: 'Every 200 and 201 to a valid key.',
    fails:
      "More than twice the plan's number served in less than a minute or a day; more than the " +
      'number until one declared Reset, or after a rest of two windows. What a bucket gives back ' +
      'meanwhile is added.',
  },
  'refills-within-limit': {
    requirement: 'limits.window-ends',
    judges:
      'Every call of a key that no other overlapped, about the minute, after which more than the ' +
      "plan's number could have come back in less than a minute.",
    fails:
      "More than the plan's number came back of its count in less than a minute (minus 3 s of " +
      'grace), in steps of any size.',
    untried: 'no key had spent its minute and was called again within it',
  },
  'calls-share-one-count': {
    requirement: 'limits.one-count',
    judges:
      'Every call of a key with earlier ones about the same window that differ from it in the ' +
      'operation, the path, the query, a header field or the spelling of the scheme.',
    fails:
      'Remaining moves as no count of all calls does, and falls by one with each call of one ' +
      'kind alone.',
    untried: 'no two kinds of calls were observed within a window',
  },
  'limit-not-below-quota': {
    requirement: 'limits.window-ends',
    judges:
      'Every refusal that follows no other one, by the calls of its key in the two windows ' +
      'before; every call after 75 s of silence, and after two windows of silence.',
    fails:
      "Refused with fewer calls than half the plan's number, or after 75 s of silence; less " +
      `remains than before after a Reset; ${twice}. Less than the whole remains after two ` +
      'windows, more often than calls of other clients explain that show nowhere else.',
    optional: 'no call was refused, and no key was silent for long',
  },
  'count-per-key': {
    applies: isSuccess,
    requirement: 'auth.per-key',
    judges:
      'The served calls of two keys of one plan in turn (one, the other, the first and the other ' +
      'again), about one window.',
    fails: 'Their numbers form one falling sequence, on two occasions.',
    optional: 'no two keys of one plan were used in turn',
  },
  'remaining-falls-by-one': {
    applies: isSuccess,
    requirement: 'headers.remaining.falls',
    judges: 'Every served call of a key after which no window may have ended.',
    fails:
      'Remaining falls by more than the calls meanwhile, with each call or with one kind of ' +
      "request of the run; other clients do not follow the run's requests.",
    untried: 'no two responses about one window were observed',
  },
  'remaining-rises-at-reset': {
    applies: (one) => !is429(one),
    requirement: 'headers.remaining.rises',
    judges: 'Every response to a valid key but 429, with earlier ones about the same window.',
    fails:
      'A Remaining above what any design could have given back before the announced Reset: ' +
      'tokens, calls that leave a log, up to half of the quota at once; twice within the time in ' +
      'which a bucket gives back as much; or the same number after 50 served calls in turn.',
    untried: 'too few calls came within a window',
  },
  'reset-not-moved-back': {
    applies: isSuccess,
    requirement: 'headers.reset.kept',
    judges: 'Each two consecutive served calls of a key.',
    fails:
      'On three occasions within one window a Reset more than 5 s before one that was announced ' +
      'and has not come. It is a should.',
  },
  'refusal-reset-ahead': {
    applies: isSuccess,
    requirement: 'headers.reset.ahead',
    judges: 'Every served call of a key whose latest one got a 429 with the three headers.',
    fails:
      'The Reset of that 429 is more than two windows and 5 s after it: no window ends then, and ' +
      'no ban, as the key is served before.',
    optional: 'no key was served after a 429 with a Reset',
  },
  'retry-after-each-served': {
    requirement: 'retry-after.true',
    judges:
      'Every call that its key sent after as long a silence as its latest responses, refusals, ' +
      'had stated.',
    fails: 'It is refused, on two occasions.',
    optional: 'no key was refused and then silent for as long as stated',
  },
  'ban-only-after-refusals': {
    requirement: 'ban.only-repeated',
    judges: 'Every call of a key that was not refused for a day.',
    fails: `401 or 403 right after a call that was served, ${twice}.`,
    optional: 'no key was called again after a day without a refusal',
  },
  'ban-temporary': {
    applies: isShutOut,
    requirement: 'ban.ends',
    judges: 'Every refusal that follows another one, and so may be a ban.',
    fails: 'It states a wait of more than ten years.',
    optional: noBan,
  },
  'quota-429-status': {
    applies: (one) => !isSuccess(one),
    requirement: 'limits.429',
    judges: 'Every response but success after which no request remained, by the numbers before it.',
    fails:
      'It is no 429, and no response near it is, though the same request was served before; 401 ' +
      'and 403, which may be a ban that another client has drawn, on three occasions, or two keys.',
    optional: 'no call was refused once nothing remained',
  },
  'retry-after-present': {
    applies: is429,
    requirement: 'retry-after.present',
    judges: 'Every 429; without `Retry-After` only the first one since the key was served.',
    fails:
      '`Retry-After` is missing, occurs twice, is neither whole seconds nor an HTTP-date (the ' +
      'two obsolete forms are accepted), or is not in the future. A missing one, where another ' +
      'client may have caused a ban, on two occasions between which the key was served.',
    optional: none429,
    untried: 'no first refusal was seen, or without `Date` its date cannot be judged',
  },
  'retry-after-not-excessive': {
    applies: is429,
    requirement: 'retry-after.excess',
    judges: 'Every 429 for a minute that follows no other refusal.',
    fails:
      'The wait ends more than ten minutes after Reset, although the key was served within two ' +
      'minutes after its minute had been spent. It is a should.',
    optional: none429,
    untried: 'no refusal stated a wait and a Reset',
  },
  'ban-retry-after': {
    applies: isShutOut,
    requirement: 'ban.retry-after',
    judges: 'Every refusal that follows another one, and so may be a ban.',
    fails: 'It has no valid `Retry-After`, or one that is not in the future. It is a should.',
    optional: noBan,
    untried: 'no ban was seen, or without `Date` its wait cannot be judged',
  },
} as const satisfies Readonly<Record<string, Declared>>

export type LawId = keyof typeof declared

export const laws: Readonly<Record<LawId, Declared>> = declared
export const lawIds = Object.keys(laws) as LawId[]

export interface Breach {
  readonly law: LawId
  /** Calls of other clients leave no trace at the same place twice. */
  readonly place: string | number
  /** No number of calls of other clients explains it. */
  readonly sure?: boolean
  /** Other clients explain it only if they call at that moment, which their calls would show. */
  readonly isUnseen?: () => boolean
  /**
   * How often it occurred at its place on its key, and the probability that all calls of another
   * client came just there. Both are in place of the rule that it repeats.
   */
  readonly chance?: () => { readonly times: number; readonly probability: number }
  /** What may explain it, if not that another client has used the key. */
  readonly doubt?: string
  /** So many calls between the two explain it: lost requests of the run may have counted. */
  readonly missing?: number
  /** Later calls may explain it; where none come, it stands. */
  readonly standsAtEnd?: boolean
  /** The last one shows it. */
  readonly calls: readonly Call[]
  readonly expected: string
  readonly actual: string
  /** Absent: its status. */
  readonly wrong?: Wrong
}

/** What is found about the calls of one key. */
export interface OfKey {
  /** The minute and the day of its plan. */
  readonly windows: readonly [Window, Window]
  readonly breach: (breach: Breach) => void
  /** Notes what later calls may still explain. */
  readonly doubt: (breach: Breach) => void
  /** Later calls have decided a doubt. */
  readonly decide: (breach: Breach, stands: boolean) => void
  /** Notes a call that could have violated a law, as not every call can. */
  readonly tried: (law: LawId, call: Call) => void
}

/**
 * An inequality over the calls of a key: looks at each call in the order of sending, once all are
 * known that were sent before its response came, and keeps what it needs for those after it.
 */
export type Law = (of: OfKey) => (call: Call) => void

/** One that keeps nothing, as each call has what was before it. */
export const stateless =
  (look: (call: Call, of: OfKey) => void): Law =>
  (of) =>
  (call) =>
    look(call, of)

/** The same for the minute and for the day. */
export const ofEachWindow =
  (make: (window: Window, of: OfKey) => (call: Call) => void): Law =>
  (of) => {
    const looks = of.windows.map((window) => make(window, of))
    return (call) => {
      for (const look of looks) look(call)
    }
  }
