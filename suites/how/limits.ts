// How the questions about quotas, counts and keys are judged.
import { afterSound, type Telling, type Tellings, tellings } from '../../engine/telling.ts'

/** The experiment that many of them look at; it is held once for each key. */
const round =
  'After a rest of two windows two probes tell what is left, and a burst asks for all of it and ' +
  'one call more'
const others = 'another client may have used the key (ambiguous)'

const notMore = (plan: string) =>
  [
    `${round}, with a key of the plan ${plan}; where all is served it asks on.`,
    'More served in one declared window than the plan has, or more than was announced and a ' +
      'bucket ' +
      'gives back meanwhile. Where a window may have ended in between, two bursts have to show it.',
    'it was seen once and not again, calls came back as fast as they were sent (ambiguous), or ' +
      others,
  ] as const

const notFewer = (plan: string) =>
  [
    `Sends nothing of its own: the burst of \`quota-${plan}-not-more\`.`,
    'Fewer served than were announced, or than the plan has after a rest. What one call, or a ' +
      'crowd of another client at once, would explain has to be seen in a second burst.',
    'others use the key (shared: true), Remaining skipped numbers, answers were lost or failed ' +
      'and may have counted, or nothing was refused (ambiguous)',
  ] as const

const restedServed = (plan: string) =>
  [
    `By the test clock, after the burst of \`quota-${plan}-not-more\`: the key rests for two ` +
      'minutes, and sends 130 requests, or its whole minute if that is less.',
    'One of them is refused, twice: the minute came back at another pace.',
    `the key could not be exhausted, or ${others}`,
  ] as const

const windowOfPlan = (plan: string) =>
  [
    `By the test clock, after \`window-${plan}-rested-served\`: one request behind the Reset ` +
      'that its last response announced. Only where that gives the whole minute back, and ' +
      'announces the next Reset 10 s to 57 s later: the minute is spent, and one request follows ' +
      'behind that Reset.',
    'The whole minute is back both times, at announced Resets less than 57 s apart.',
    'no whole minute was served after a rest (blocked), or no Reset is announced (ambiguous)',
  ] as const

const quotas: Tellings = Object.assign(
  {},
  ...['free', 'pro', 'business', 'enterprise'].map((plan) =>
    tellings({
      [`quota-${plan}-not-more`]: notMore(plan),
      [`quota-${plan}-not-fewer`]: notFewer(plan),
      ...(plan !== 'free' && {
        [`window-${plan}-rested-served`]: restedServed(plan),
        [`window-${plan}-not-shorter`]: windowOfPlan(plan),
      }),
    }),
  ),
)

const counted = (row: string): Telling => ({
  asks: `With one key, in a row: ${row}.`,
  finds:
    'Remaining falls by fewer than the calls of the row, beyond what any design gives back ' +
    'meanwhile; in two rows.',
  open: 'a window ended in between in three rows, or others use the key (shared: true)',
})

const counts: Tellings = {
  'count-across-operations': {
    ...counted('creations, fetches and lists in turn, six of them'),
    finds:
      'Remaining falls by fewer than the calls, or by more than one with each call of one ' +
      'operation and by one with all others; in two rows.',
  },
  'count-across-connections': counted(
    'six lists at once, each on a connection of its own, and one more',
  ),
  'count-across-queries': counted('five lists with different queries'),
  'count-whatever-scheme-case': counted('five lists with the scheme in several letter cases'),
  'count-whatever-forwarded-for': counted('five lists with another `X-Forwarded-For` each'),
}

const apart = (which: string) =>
  [
    `While the cheapest key is exhausted, one call with ${which}.`,
    'It is refused though it has calls left, or it lost most of what the burst took; seen after ' +
      'two bursts.',
    `the exhausted key was whole again by then, or ${others}`,
  ] as const

export const limits: Tellings = {
  ...quotas,
  ...counts,
  ...tellings({
    'remaining-falls-after-pause': [
      'Sends nothing where Remaining falls by one with quick calls; where it does not, some ' +
        'quick ' +
        'calls and one after a pause, twice over.',
      'Remaining falls by the same number above one with quick calls and after a pause.',
      `too few calls tell, or it falls unevenly: ${others}`,
    ],
    'remaining-shows-own-call': [
      'By the test clock: a list, and three times a creation and a list. Where the numbers are ' +
        'one call behind, the same after a rest, 300 ms apart.',
      'In both rows Remaining falls by nothing with each call of one kind and by two with each ' +
        'of the other.',
      `Remaining of the minute is not given, the second row differs, or ${others}`,
    ],
    'count-kept-after-errors': [
      'By the test clock, after a rest: a part of the minute is spent, then each of these once ' +
        'with a list after it: bodies that are refused, a bad query, unknown ids, an unknown ' +
        'method and address, HEAD, OPTIONS, no key, an invalid key, a creation, a call with ' +
        'each of the other keys. A filtered list comes first and last.',
      'A Remaining above what any design could have given back since an earlier response of the ' +
        'row, before its Reset.',
      'Remaining of the minute is not given, a window may have ended in the row, or nothing is ' +
        'known of the time at the target (ambiguous)',
    ],
    'ban-not-for-errors': [
      'By the test clock, after a rest: 26 lists, 12 bodies that are refused, 12 fetches of an ' +
        'unknown id, and a list.',
      'One of them is answered 401, 403 or 429, and again 25 hours later.',
      others,
    ],
    'window-across-minute-not-more': [
      'By the test clock, after a rest: the whole minute is spent 10 s before a minute of the ' +
        'clock ends, and 50 s later as many requests follow as a bucket has back, and a few ' +
        'more. Nothing follows where a Reset within 52 s was stated.',
      'More are served before the first stated Reset than the plan and that bucket allow.',
      `Remaining of the minute is not given, or ${others}`,
    ],
    'window-steady-served': [
      'By the test clock, after a rest and across a midnight: a part of the minute every 50 s, ' +
        'errors among it, until more than a minute was sent; never that many within two minutes.',
      'A list is refused, twice over: a window that each call renews does not end.',
      `the key was refused once, or ${others}`,
    ],
    'window-hour-later-served': [
      'By the test clock, twice after a rest: 20 lists at once, and one an hour, or a day, later.',
      'Fewer are left then than a whole minute, and no more are served: a count is found again ' +
        'by its minute of the hour or of the day.',
      `the clock is near to the removal date (clock), or ${others}`,
    ],
    'isolation-invalid-key-free': [
      'Two lists with a valid key, and 20 requests without a valid one in between, or fewer ' +
        'where those are answered 429; where more than one is missing, the same with none and ' +
        'with four.',
      'Each call without a valid key took the same from Remaining, in both rows, and a quiet ' +
        'pause took nothing; or, by the test clock, the valid key is refused behind them, twice, ' +
        '25 hours apart.',
      `Remaining is not told, or ${others}`,
    ],
    'isolation-other-plan-served': apart('a key of another plan'),
    'isolation-same-plan-served': apart('another key of the same plan'),
    'quota-each-key-not-more': [
      'The burst on each key but the first of its plan; that on the key for bans is held in any ' +
        'case. Without a test clock only on keys of at most 100 requests a minute.',
      'What `quota-PLAN-not-more` finds, by the numbers of that key.',
      `some key was not exhausted, and they are named (clock), or ${others}`,
    ],
    'quota-each-key-not-fewer': [
      'Sends nothing of its own: the bursts of `quota-each-key-not-more`.',
      'What `quota-PLAN-not-fewer` finds, by the numbers of that key.',
      `some key was not exhausted, and they are named (clock), or ${others}`,
    ],
    'window-rested-served': [
      'What is left of a fresh minute is spent without a refusal, the key keeps silent for 75 s ' +
        '(by the test clock, where there is one), and asks once.',
      'It is refused, twice.',
      `it was refused before its minute was spent, or ${others}`,
    ],
    'quota-excess-429': [
      'Sends nothing of its own: the burst on the cheapest key.',
      'No 429 in it, and a request that came after an answer with Remaining 0 is answered 503, ' +
        '403 or anything else.',
      'nothing was refused (blocked); by Remaining the request was not over the limit, or a ' +
        'response of the burst was lost (ambiguous)',
    ],
    'quota-429-status': [
      'Sends nothing of its own: the burst on the cheapest key.',
      'No 429 in it, though more was asked than the plan has and more was served than any design ' +
        'would, or another status refused it.',
      'the limit was not reached in one burst, or calls came back as fast (ambiguous)',
    ],
    'refused-creation-no-effect': [
      'The last calls of the burst are creations, up to one that is refused; one list later of ' +
        'their status.',
      'An animal of a creation that was refused 429 is there.',
      'no creation was refused, or the list does not hold all that were served (ambiguous)',
    ],
    'refusal-body': [
      'Sends nothing of its own: the first 429 of the burst.',
      'Whether its body is an Error, another JSON object, other JSON, no JSON, or none.',
      'nothing was refused (blocked)',
    ],
    'limiter-design': [
      'Sends nothing of its own: all calls of the key since it rested before its burst are ' +
        'replayed through each design.',
      'The one whose numbers fit while those of all others do not: fixed window (on the clock, ' +
        'off the clock, or from the first request), sliding log, sliding counter or token ' +
        'bucket; else inconclusive.',
      'nothing was refused (blocked)',
    ],
    'answers-that-count': [
      'Sends nothing: every 400 and 404 that came straight after another call of the same key.',
      'Whether Remaining fell with them: counted, or not counted where lists do make it fall ' +
        'and what comes back meanwhile does not hide it; else inconclusive.',
      afterSound.list,
    ],
  }),
}
