// A law doubts what other clients may explain until it repeats, and finds nothing in what a window,
// a log or a bucket answers, nor in two counts, of which another client uses one.
import { expect, test } from 'vitest'
import type { AnsweredExchange, ApiRequest } from '../../history/exchange.ts'
import { legalMeters } from '../../reference/legal-meters.ts'
import { fakeTrace } from '../../tests/fakes/fake-exchange.ts'
import {
  call,
  everySecond,
  foundBy,
  foundIn as judge,
  minuteMs,
  refusal,
  rests,
  row,
  spent,
} from '../../tests/limiter-calls.ts'
import { type LawId, laws } from './laws.ts'

/** Calls a second apart, by the number of the key and what remained. */
const turns = (fromMs: number, ...said: readonly (readonly [key: 1 | 2, remaining: number])[]) =>
  said.map(([key, remaining], at) => ({
    ...call(fromMs + 1_000 * at, { remaining, resetMs: fromMs + minuteMs }),
    key: `free-${key}`,
  }))

/** Three calls of one key, one of the other, two and one. */
const unequal = (fromMs: number) =>
  turns(fromMs, ...([1, 1, 1, 2, 1, 1, 2] as const).map((key, at) => [key, 59 - at] as const))

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Of the last two calls in flight one is refused; once more after the wait that it stated. */
const besideLast = (ms: number, wait: number) => {
  const resetMs = ms + minuteMs
  const movedMs = 1_000 * wait
  const again = { status: 429, remaining: 0, resetMs: ms + 120_000, wait: 59, movedMs }
  return [
    ...row(59, ms, 59, resetMs),
    call(ms + 1_300, { status: 429, remaining: 0, resetMs, wait }),
    call(ms + 1_305, { remaining: 0, resetMs }),
    call(ms + 1_400 + movedMs, again),
  ]
}

/** By the laws that other clients may explain; the mutants of the net have all laws. */
const twice: readonly (readonly [what: string, law: LawId, calls: readonly AnsweredExchange[]])[] =
  [
    [
      'refused while 40 remain',
      'limit-not-early',
      [0, 5 * minuteMs].flatMap((ms) => [
        call(ms, { remaining: 40, resetMs: ms + minuteMs }),
        call(ms + 100, { status: 429, remaining: 0, resetMs: ms + minuteMs, wait: 59 }),
      ]),
    ],
    [
      'refused after the stated wait',
      'retry-after-each-served',
      [0, 5 * minuteMs].flatMap((ms) => {
        const again = { status: 429, remaining: 0, resetMs: ms + 120_000, wait: 59 }
        return [...spent(ms), call(ms + 61_000, { ...again, movedMs: 59_000 })]
      }),
    ],
    [
      'refused after the wait that was stated beside the last call that was served',
      'retry-after-each-served',
      [0, 5 * minuteMs].flatMap((ms) => besideLast(ms, 59)),
    ],
    [
      'less than a whole minute after an hour of silence',
      'limit-not-below-quota',
      [0, 2 * hourMs].flatMap((ms) => [
        ...row(10, ms, 59, ms + minuteMs),
        call(ms + hourMs, { remaining: 49, resetMs: ms + hourMs + minuteMs }),
      ]),
    ],
    [
      '401 to all that exceed, in flight with the last calls that remain',
      'quota-429-status',
      [0, 5 * minuteMs, 10 * minuteMs].flatMap((ms) => {
        const last = [1, 0].map((remaining) =>
          call(ms + 1_300, { remaining, resetMs: ms + minuteMs }),
        )
        const excess = call(ms + 1_300, { status: 401 })
        return [...row(58, ms, 59, ms + minuteMs), ...last, excess, { ...excess }]
      }),
    ],
    [
      'a refusal without a wait, and a minute later',
      'retry-after-present',
      [0, 3 * minuteMs].flatMap((ms) => [
        ...row(60, ms, 59, ms + minuteMs),
        call(ms + 2_000, { status: 429, remaining: 0, resetMs: ms + minuteMs }),
      ]),
    ],
    ['one falling sequence of two keys', 'count-per-key', [0, 3 * minuteMs].flatMap(unequal)],
  ]

test('a Reset that moves with each call is none of replicas', () => {
  const meter = legalMeters['log-reset-newest'](60, minuteMs)
  const calls = Array.from({ length: 140 }, (_, at) => at).flatMap((at) => {
    const ms = Math.floor(at / 10) * 12_000 + (at % 10) * 20
    if (meter.look(ms).remaining === 0) return []
    meter.count(ms)
    const { remaining, resetAtMs } = meter.look(ms)
    const one = call(ms, { remaining, resetMs: Math.ceil(resetAtMs / 1_000) * 1_000 })
    const path = at % 2 === 0 ? '/pets' : '/pets?limit=3'
    return [{ ...one, apiRequest: { ...one.apiRequest, path } }]
  })
  expect(judge('calls-share-one-count', calls)).toBeUndefined()
})

test.for(twice)(
  'is a doubt where it is seen once, or others use the keys: %s',
  ([, law, calls]) => {
    expect(judge(law, calls)).toBe('violation')
    expect(judge(law, calls.slice(0, calls.length / 2))).toBe('doubt')
    expect(judge(law, calls, true)).toBe('doubt')
  },
)

test('one less after each rest, where no other client shows meanwhile', () => {
  expect(judge('limit-not-below-quota', rests(3, 10))).toBe('violation')
  expect(judge('limit-not-below-quota', rests(2, 10))).toBe('doubt')
  // It occurred once, whatever time was spent alone.
  const once = [...everySecond(30), ...rests(2, 10)].slice(0, 61)
  expect(judge('limit-not-below-quota', once)).not.toBe('violation')
  expect(judge('limit-not-below-quota', rests(3, 200))).toBe('doubt')
  expect(judge('limit-not-below-quota', rests(3, 10, 1))).toBe('doubt')
  expect(judge('limit-not-below-quota', rests(3, 10), true)).toBe('doubt')
  // A lost request before each rest has a number, and no response.
  const seqOf = (at: number) => at + 1 + Math.floor(at / 30)
  expect(judge('limit-not-below-quota', rests(3, 10), false, seqOf)).toBeUndefined()
  expect(judge('limit-not-below-quota', rests(3, 10, 0, 2), false, seqOf)).toBe('violation')
})

test('what came back within a short wait may have been used by a call beside the refusal', () => {
  const calls = [0, 5 * minuteMs].flatMap((ms) => besideLast(ms, 1))
  expect(judge('retry-after-each-served', calls)).toBeUndefined()
})

test('a ban that another client may have drawn need not state a wait', () => {
  expect(judge('retry-after-present', [call(0), refusal({}, 30_000)])).toBe('doubt')
})

/** A call, and so much later a refusal while calls remain; five minutes later again. */
const twiceRefused = (laterMs: number, wait?: number) =>
  [0, 5 * minuteMs].flatMap((ms) => [
    call(ms, { remaining: 40, resetMs: ms + minuteMs }),
    call(ms + laterMs, { status: 429, remaining: 0, resetMs: ms + minuteMs, wait }),
  ])

test.for<[LawId, AnsweredExchange[], AnsweredExchange[]]>([
  ['limit-not-early', twiceRefused(2_000, 40), twiceRefused(900, 40)],
  ['limit-not-below-quota', twiceRefused(2_000, 40), twiceRefused(900, 40)],
  // As much as remained, a crowd uses up at once.
  [
    'retry-after-present',
    twiceRefused(900),
    [0, 5 * minuteMs].flatMap((ms) => [
      ...spent(ms).slice(0, -1),
      call(ms + 900, { status: 429, remaining: 0, resetMs: ms + minuteMs }),
    ]),
  ],
  [
    'retry-after-each-served',
    [0, 5 * minuteMs].flatMap((ms) => {
      const again = { status: 429, remaining: 0, resetMs: ms + 120_000, wait: 59 }
      return [...spent(ms), call(ms + 61_000, again)]
    }),
    [],
  ],
])('where another client has time, again and again: %s', ([law, late, soon]) => {
  expect(judge(law, late)).toBe('doubt')
  if (soon.length > 0) expect(judge(law, soon)).toBe('violation')
})

/** A call, and one after its Reset for which one less remains; five minutes later again. */
const twiceAfterReset = (remaining: number) =>
  [0, 5 * minuteMs].flatMap((ms) => [
    call(ms, { remaining, resetMs: ms + minuteMs }),
    call(ms + 70_000, { remaining: remaining - 1, resetMs: ms + 3 * minuteMs }),
  ])

test('another client may have used a few of the next window, and not most of it, twice', () => {
  expect(judge('limit-not-below-quota', twiceAfterReset(58))).toBe('doubt')
  expect(judge('limit-not-below-quota', twiceAfterReset(20))).toBe('violation')
})

/** A request without a key that is sent as it has to be, but with a valid one. */
const carrying = (atMs: number, more: Partial<ApiRequest>) => {
  const { apiRequest, ...sent } = call(atMs, { remaining: 49 })
  return { ...sent, key: null, apiRequest: { ...apiRequest, ...more } }
}

test.each<[string, Partial<ApiRequest>]>([
  ['with two keys, of which the valid one is taken,', { carries: 'free-1' }],
  ['with a malformed key that is served', { authorization: ['free-1'] }],
])('a request %s has counted', (_, more) => {
  const calls = [call(0, { remaining: 50 }), carrying(20, more), call(40, { remaining: 48 })]
  expect(judge('remaining-falls-by-one', calls)).toBeUndefined()
  expect(judge('remaining-falls-by-one', calls.toSpliced(1, 1))).toBe('doubt')
})

type Design = readonly [design: string, calls: readonly AnsweredExchange[]]

const legal: readonly Design[] = [
  ['a fixed window', [...spent(0), ...spent(minuteMs)]],
  ...[6, 3, 2].map((parts): Design => {
    const ticks = Array.from({ length: 2 * parts }, (_, at) => ((at + 1) * minuteMs) / parts)
    const part = (ms: number) => row(60 / parts, ms + 500, 60 / parts - 1, ms + minuteMs)
    return [
      `a bucket that gives back in ${parts} parts`,
      [...row(60, 500, 59), ...ticks.flatMap(part)],
    ]
  }),
  ['two windows side by side', [...row(60, 58_000, 59), ...row(60, 61_000, 59, 2 * minuteMs)]],
  [
    'a bucket that gives back one call a second',
    Array.from({ length: 100 }, (_, at) =>
      call(500 * at, { remaining: Math.floor(59 - at / 2), resetMs: 500 * at + 1_000 }),
    ),
  ],
  [
    'a bucket that has a call again for the slower of two in flight',
    [
      ...row(59, -1_000, 59),
      { ...call(190, { remaining: 0 }), sentMs: 180 - 600 },
      call(-410, { remaining: 0 }),
    ],
  ],
  [
    'a sliding counter that speaks of the minute from a half on, while an earlier one fades',
    [
      ...row(30, 58_000),
      ...Array.from({ length: 38 }, (_, at) =>
        call(minuteMs + 500 * at, {
          ...{ remaining: Math.floor(29 - at + at / 4), resetMs: 3 * minuteMs },
        }),
      ),
    ],
  ],
  [
    'another spelling of the scheme, which gets 401',
    [0, 3 * dayMs].flatMap((ms) => {
      const other = call(ms + 100, { status: 401 })
      return [call(ms), { ...other, apiRequest: { ...other.apiRequest, scheme: 'bearer' } }]
    }),
  ],
  [
    'a bucket that is whole again before each call',
    Array.from({ length: 90 }, (_, at) =>
      call(1_500 * at, { remaining: 59, resetMs: 1_500 * at + 1_000 }),
    ),
  ],
  ['no headers', row(60, 0)],
  ['a bucket that refills during the calls of a day', [call(-3 * dayMs), ...everySecond(1_011)]],
  ['an error of another kind next to a 429', [...spent(0), call(1_600, { status: 503 })]],
  ['a wait of a ban', [...spent(0), refusal({ wait: 3_600 }, 2_000)]],
]

test.for(legal)('nothing is found in %s', ([, calls]) => {
  const all = Object.keys(laws) as LawId[]
  expect(all.filter((law) => judge(law, calls) !== undefined)).toEqual([])
})

test('two counts, one of which another client uses in turn, are two', () => {
  const minutes = [0, 3 * minuteMs].flatMap((ms) =>
    turns(ms, [1, 59], [2, 58], [1, 57], [2, 57], [1, 55], [2, 56]),
  )
  expect(judge('count-per-key', minutes)).toBeUndefined()
})

test.for([
  [35, undefined],
  [34, 'violation'],
] as const)('refused while 35 remain, with %i lost requests before, twice: %s', ([lost, found]) => {
  const exchanges = [0, 5 * minuteMs].flatMap((ms) => [
    call(ms, { remaining: 35, resetMs: ms + minuteMs }),
    call(ms + 100, { status: 429, remaining: 0, resetMs: ms + minuteMs, wait: 59 }),
  ])
  const seqOf = (at: number) => at + 1 + lost * Math.floor((at + 1) / 2)
  expect(judge('limit-not-early', exchanges, false, seqOf)).toBe(found)
  // What was lost on another key counts there.
  expect(judge('limit-not-early', exchanges, false, seqOf, 'free-2')).toBe('violation')
})

test('a wait that is too short: how long it was', () => {
  const again = { status: 429, remaining: 0, resetMs: 120_000, wait: 59 }
  const calls = [...spent(0), call(61_000, again)].map((one, at) => ({ ...one, seq: at + 1 }))
  const history = { ...fakeTrace(...calls), shared: false }
  expect(foundBy('retry-after-each-served', history).map(({ message }) => message)).toEqual([
    expect.stringMatching(/^429, 59 s after a 429 with Retry-After: 59\b/),
  ])
})
