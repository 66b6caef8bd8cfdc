// What a key is granted: each violation, and each legal explanation of what looks like one.
import {
  at,
  countdown,
  expectJudged,
  type FakeSaid,
  passes,
  refusedAt as refused,
} from '../../tests/fake-round.ts'
import { granted } from './granted.ts'

const next = { resetS: 180 }
const occasion = (fromMs: number, remaining: number, more: Partial<FakeSaid> = {}) => [
  at(fromMs, remaining, more),
  refused(fromMs + 10, more),
]
const crowd = (fromMs: number, more: Partial<FakeSaid> = {}) => [
  at(fromMs, 9, more),
  ...[8, 7, 6].map((remaining) => at(fromMs + 10, remaining, more)),
  ...[1, 2].map(() => refused(fromMs + 10, more)),
]
const twice = [...occasion(0, 5), ...occasion(130_000, 5, next)]
const fell = [at(0, 30), at(10, 20), ...occasion(20, 19), ...occasion(130_000, 5, next)]
const byOther = 'ambiguous: refused after a response'

expectJudged(granted, 'limit-not-early', [
  ['a crowd is served less', [...crowd(0), ...crowd(130_000, next)], '429 after Remaining: 9'],
  ['another client may have drawn one refusal', occasion(0, 5), byOther],
  ['the key is shared', twice, byOther, { shared: true }],
  ['Remaining fell by more than was sent', fell, byOther],
  [
    'requests went unanswered in between',
    [
      ...[at(0, 1, { seq: 1 }), refused(10, { seq: 3 })],
      ...[at(130_000, 1, { seq: 4 }), refused(130_010, { seq: 6 })],
    ],
    passes,
  ],
  [
    'a ban may have followed repeated refusals',
    [0, 130_000].flatMap((ms) => [
      ...[1, 2, 3].map((place) => refused(ms + place)),
      ...[at(ms + 10, 30), refused(ms + 20)],
    ]),
    passes,
  ],
])

const banned = [at(0, 0), refused(10), refused(20, { remaining: 60 })]
const refusedTogether = [at(0, 0), ...[1, 2].map(() => refused(10, { remaining: 9 }))]
const served = [at(0, 0), refused(10), at(60_000, 0), refused(60_020, { remaining: 7 })]

expectJudged(granted, 'refusal-remaining-zero', [
  ['a ban says what it likes', banned, passes],
  ['so do refusals of one crowd', refusedTogether, passes],
  ['judged again once a call was served', served, 'actual: Remaining: 7'],
  ['not as calls remained', [at(0, 5), refused(10, { remaining: 5 })], 'ambiguous'],
  [
    'nor with certainty where others use the key',
    [at(0, 0), refused(10, { remaining: 3 })],
    'ambiguous',
    { shared: true },
  ],
])

const moving = (count: number, everyMs: number) =>
  Array.from({ length: count }, (_, place) =>
    at(place * everyMs, 5, { resetS: 60 + Math.ceil((place * everyMs) / 1000) }),
  )

expectJudged(granted, 'limit-not-late', [
  ['more than that', countdown(61, at(0, 60)), '61 served'],
  ['twice Limit in less than a window, whatever Reset says', moving(120, 400), passes],
  ['more than that', moving(121, 400), 'at most 120 requests served in less than'],
  ['more than that in a longer time', moving(240, 510), passes],
])

const refill = (lowMs: number, fullMs: number) => [
  at(lowMs, 1, { resetS: fullMs / 1000 }),
  at(fullMs, 59, { resetS: fullMs / 1000 + 60 }),
]
const half = [at(0, 30), at(30_000, 59), at(30_010, 30), at(60_000, 59)]
const endOfBan = [...refill(29_000, 30_000), refused(59_000), refused(59_010), at(60_000, 59)]
const undecided = 'ambiguous: no key was seen to refill twice'

expectJudged(granted, 'refills-minute-apart', [
  ['a minute apart', [...refill(59_000, 60_000), ...refill(119_000, 120_000)], passes],
  ['looked at late', [...refill(50_000, 100_000), ...refill(119_000, 120_000)], passes],
  ['half a minute apart', [...refill(29_000, 30_000), ...refill(59_000, 60_000)], 'at least 60 s'],
  ['one refill', refill(59_000, 60_000), undecided],
  ['half refills', half, undecided],
  ['where a ban may have ended', endOfBan, undecided],
])
