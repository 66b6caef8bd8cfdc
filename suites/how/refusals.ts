// How the questions about Retry-After, bans and days are judged.
import { type Tellings, tellings } from '../../engine/telling.ts'

const others = 'another client may have used the key (ambiguous)'
const knocks = 'Sends nothing of its own: the knocks of `ban-look`'

const dayNotMore = [
  'With the test clock: after a rest of two days, calls minute by minute up to one beyond the ' +
    'day. ' +
    'In real time: the same at the pace of the minutes, within one run.',
  'More served than the plan has in a day (with what a bucket gives back), or than an answer of ' +
    'the ' +
    'same declared day said would remain. In real time: in the 24 hours before a Reset, or twice ' +
    'the number in 24 hours.',
  'no more than that was asked, or a day that ended in between, another client, or another run ' +
    'explains it (ambiguous)',
] as const

const dayNotFewer = (id: string) =>
  [
    `Sends nothing of its own: the day of \`${id}\`.`,
    'A call is refused for its day, though fewer were served than the plan has, every number of ' +
      'Remaining was told to us, and none of them is missing.',
    'it was refused for its minute, a ban or a failure came first, numbers were skipped, or ' +
      'others use the key (ambiguous)',
  ] as const

const dayOwnWindow = (id: string) =>
  [
    `One call after the wait that the refusal of \`${id}\` tells.`,
    'It is refused: the refusal told the wait of a minute, or one that is not true. In real ' +
      'time: ' +
      'refused after two such waits.',
    'it was refused before its day was spent (ambiguous), or the wait ends after this run (clock)',
  ] as const

export const refusals: Tellings = tellings({
  'retry-after-present': [
    'Sends nothing of its own: every first 429 of a key, in its minutes and days.',
    'No `Retry-After`, two, one that is neither whole seconds nor an HTTP-date (the two old ' +
      'forms ' +
      'are taken), or one that is not ahead.',
    'nothing was refused, a date cannot be judged without `Date`, or another client may have ' +
      'drawn a ban (ambiguous)',
  ],
  'retry-after-last-second': [
    'By the test clock, twice after a rest: the minute is spent, its last call a creation where ' +
      'those are allowed, and one request follows 0.6 s, or 1.6 s, before the Reset.',
    'The `Retry-After` of that refusal is not ahead, as that of one cut to whole seconds is 0.',
    'nothing was refused then, as Reset names no end of the minute (inapplicable)',
  ],
  'retry-after-served': [
    'The key of the burst keeps silent up to the moment that its last refusal names (by the test ' +
      'clock exactly), and asks once. In real time a refused call is repeated after the next wait.',
    'It is refused after the wait; by the test clock also after a second burst, of three at most.',
    `the wait is over 8 days (150 s in real time) or cannot be read, or ${others}`,
  ],
  'retry-after-not-excessive': [
    'Every 429 of the burst, beside its own Reset.',
    'A wait more than ten minutes beyond that Reset, though the key is served after 75 s of ' +
      'silence. It is a should.',
    'whether less would do is not known (ambiguous)',
  ],
  'retry-after-form': [
    'Sends nothing of its own: the first 429 of the burst.',
    'Whether it is seconds or an HTTP-date, and whether it ends at Reset.',
    'nothing was refused (blocked)',
  ],
  'window-not-shorter': [
    'Where the call after the wait, or one as much later as the burst took, finds the whole ' +
      'minute back, and announces the next Reset less than a minute after the one before: that ' +
      'minute is spent, and one call is made behind it.',
    'All came back a second time, less than a minute (and 3 s of grace) apart.',
    'the refusal, or the answer after the wait, tells nothing of the minute (ambiguous)',
  ],
  'ban-not-first': [
    'Sends nothing of its own where the call after the first refusal and its wait is served. ' +
      'Where that wait is over 75 s, with the test clock: 25 hours later the key for bans is ' +
      'exhausted, is silent for 75 s, and sends one request.',
    'That call is answered as a ban is: 401 or 403, or it is refused after 75 s.',
    'a wait that is not true looks the same, requests before this run may have drawn it, or ' +
      others,
  ],
  'ban-look': [
    'The key for bans is exhausted by a burst and sends up to 40 requests more, until a response ' +
      'looks like a ban: 401, 403, a longer wait, or another `code` after refusals with one code.',
    'After how many refusals in a row, and with which status; or that none came.',
    'the key could not be exhausted (blocked)',
  ],
  'ban-own-key': [
    'One call with another key while the first one is banned: with a key of the same plan, if ' +
      'there is one.',
    'It is refused though it has calls left; by the test clock after two such rounds.',
    `no ban came (inapplicable), it was over by then, or ${others}`,
  ],
  'ban-retry-after': [
    `${knocks}.`,
    'The response of the ban has no `Retry-After` that can be read, or one that is not ahead. ' +
      'It is a should.',
    'no ban came (inapplicable)',
  ],
  'ban-ends': [
    'With the test clock one request in the middle of the ban. Then the key is silent for as ' +
      'long as its latest response states, or ever longer where it states nothing, and sends ' +
      'one request; after a stated wait three times at most.',
    'A wait of more than ten years is stated; or the key is still refused after three stated ' +
      'waits; or, by the test clock and in two bans, after one.',
    `no ban came (inapplicable), it waited too short (ambiguous), or ${others}`,
  ],
  'ban-ends-again': [
    'Sends nothing of its own: the second ban, which `ban-not-first-after-bans` draws and waits ' +
      'out as it states.',
    'The key is still refused after three stated waits.',
    `no second ban came (inapplicable), or ${others}`,
  ],
  'ban-not-first-after-bans': [
    'By the test clock, each 25 hours after the one before: a ban is drawn anew, one refusal ' +
      'fewer than that took is drawn, and the cheapest key is exhausted.',
    'The first refusal of a key in 25 hours, of any in the run, is 401 or 403, and the key is ' +
      'served later.',
    `no key for bans, or ${others}`,
  ],
  'ban-creation-no-effect': [
    'One creation with the key that is banned; once the ban is over one that is valid, and a ' +
      'list of their status.',
    'The pet of the first one is listed.',
    'no ban came (inapplicable), it was over by then, or the list does not hold both (ambiguous)',
  ],
  'ban-duration': [`${knocks}.`, 'How long the answer of the ban tells to wait.'],
  'day-quota-not-more': dayNotMore,
  'day-quota-not-fewer': dayNotFewer('day-quota-not-more'),
  'day-refusal-own-window': dayOwnWindow('day-quota-not-more'),
  'day-other-key-served': [
    'By the test clock: one list with another key of the plan, while the day of one is spent.',
    'It is refused with 429, though that key has not spent half of a minute since.',
    `nothing was refused for its day, the other key may itself be spent, or ${others}`,
  ],
  'day-excess-429': [
    'Sends nothing of its own: the day of `day-quota-not-more`, by the test clock.',
    'The request after the last one of the day is answered 503, 403 or anything but 429.',
    `nothing was refused for its day (ambiguous), or ${others}`,
  ],
  'day-quota-enterprise-not-more': dayNotMore,
  'day-quota-enterprise-not-fewer': dayNotFewer('day-quota-enterprise-not-more'),
  'day-refusal-enterprise-own-window': dayOwnWindow('day-quota-enterprise-not-more'),
})
