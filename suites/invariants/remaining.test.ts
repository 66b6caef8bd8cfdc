// How the numbers move: each violation, and each legal explanation of what looks like one.
import {
  at,
  countdown,
  expectJudged,
  passes,
  refusedAt as refused,
} from '../../tests/fake-round.ts'
import { remaining } from './remaining.ts'

const twice = countdown(8, at(0, 59), 2)
const pause = at(3_000, 43)
const concurrent = [at(0, 59), ...[55, 56, 57, 58].map((count) => at(10, count))]

expectJudged(remaining, 'remaining-falls-by-one', [
  ['calls that each cost two, also after a pause', [...twice, pause], 'it fell by 2'],
  ['nothing shows that nobody keeps step with it', twice, 'ambiguous: it fell by'],
  ['after a pause it fell by more', [...twice, at(3_000, 30)], 'ambiguous: it fell by'],
  ['it did so but once', [...countdown(8, at(0, 59)), at(80, 50)], 'ambiguous: it fell by'],
  ['the key is shared', [...twice, pause], 'ambiguous: it fell by', { shared: true }],
  ['calls side by side', concurrent, passes],
  ['a lost request', [at(0, 59, { seq: 1 }), at(10, 57, { seq: 3 })], passes],
])

const fifty = countdown(50, at(0, 59))
const lagging = Array.from({ length: 30 }, (_, place) => at(place, 59, { tookMs: 1 }))
const spent = countdown(30, { atMs: 0, remaining: 59 })
const of = (status: number, atMs: number, count: number) => at(atMs, count, { status })

expectJudged(remaining, 'remaining-rises-at-reset', [
  ['a refill that nobody announced', [...fifty, at(5_000, 59)], '59 remain, 1 calls after 10 did'],
  ['a count that may lag behind', lagging, 'the count may lag behind'],
  ['the reset has come', [...fifty, at(60_000, 59, { resetS: 120 })], passes],
  [
    'calls leave a log one by one',
    [...fifty, at(50_000, 9, { resetS: 110 }), at(61_000, 57, { resetS: 121 })],
    passes,
  ],
  [
    'earlier calls of others leave a log',
    [at(0, 19, { resetS: 60 }), at(20_000, 57, { resetS: 80 })],
    passes,
  ],
  ['a ban may have ended', [...fifty, refused(1_000), refused(1_010), at(9_000, 59)], passes],
  ['another window is spoken of', [at(0, 30), at(10, 900, { limit: 1_000 })], passes],
  ['a rise in a refused body', [...spent, of(400, 1_000, 29), of(400, 1_400, 59)], 'remain'],
  ['a rise after a refused body', [...spent, of(400, 1_000, 29), at(1_400, 59)], 'remain'],
  [
    'a rise with a Reset that moved on',
    [...spent, at(1_000, 59, { status: 404, resetS: 61 })],
    'remain',
  ],
  ['of a window the next is shown', [...spent, at(40_000, 59, { resetS: 120 })], passes],
  ['errors do not count', [...spent, of(404, 1_000, 30), of(404, 1_400, 30)], passes],
  ['what is refused shows no count', [...spent, of(429, 1_000, 59)], passes],
])

const resets = (...all: readonly number[]) =>
  all.map((resetS, place) => at(place * 100, 59 - place, { resetS }))
const toAndFro = resets(60, 30, 60, 30, 60, 30)
const come = [0, 1, 2, 3].flatMap((n) => [at(n, 9, { resetS: 2 }), at(n, 9, { resetS: -9 })])
const ofDay = resets(60, 50).flatMap((call) => [call, { ...call, limit: 1_000 }])

expectJudged(remaining, 'reset-not-moved-back', [
  ['to and fro', toAndFro, /actual: Reset went from .* \(3 of 6 responses\)/],
  ['seen twice', resets(60, 30, 60, 30), 'ambiguous: Reset went from'],
  ['the key is shared', toAndFro, 'ambiguous: Reset went from', { shared: true }],
  ['it moves on', resets(60, 61, 62, 90, 120), passes],
  ['it has come', come, passes],
  ['the day is spoken of', ofDay, passes],
])
