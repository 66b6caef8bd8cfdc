// A journal and the exchanges beside it: what a kill can leave is read, and what none can is not.
import { describe, expect, test } from 'vitest'
import type { RecordedExchange } from '../record.ts'
import type { CheckResult } from '../run-file.ts'
import { DamagedJournal } from './damaged-journal.ts'
import type { Entry, Head } from './journal.ts'
import { readPast } from './read-past.ts'

const startedAt = '2026-11-20T12:00:00.000Z'
const head = { kind: 'head', startedAt, nowMs: 0, questions: ['a', 'b'] } as unknown as Head

const sending = (seq: number): Entry => ({ kind: 'sending', seq, check: 'a', key: 'free-1' })
const answered = (seq: number): Entry => ({
  ...{ kind: 'answered', seq, sentMs: seq, receivedMs: seq + 1, movedMs: 0 },
})
const check = (id: string): Entry => ({ kind: 'check', id, nowMs: 9 })
const result = (id: string): Entry => ({
  ...{ kind: 'result', result: { id, outcome: 'pass' } as unknown as CheckResult, nowMs: 9 },
})
const sitting: Entry = { kind: 'sitting', at: startedAt, nowMs: 20 }

/** Two requests at once, of which the second is answered first, and another one. */
const first: readonly Entry[] = [
  ...[head, check('a'), sending(1), sending(2), answered(2), answered(1), result('a')],
  ...[check('b'), sending(3), answered(3)],
]
const second: readonly Entry[] = [sitting, sending(4), answered(4), check('b'), sending(5)]

const exchange = (seq: number) => ({ seq, at: startedAt }) as RecordedExchange

const read = (entries: readonly Entry[], seqs: readonly number[]) => {
  const past = readPast(entries, seqs.map(exchange))
  return {
    exchanges: past?.segments.flatMap((each) => each.exchanges.map(({ seq }) => seq)),
    lost: past?.segments.flatMap((each) => each.lost.map(({ seq }) => seq)),
  }
}

describe('what a kill can leave', () => {
  test.for<[string, readonly Entry[], readonly number[], readonly number[]]>([
    ['all that was answered', first, [2, 1, 3], []],
    ['an answer whose exchange was not written any more', first, [2, 1], [3]],
    ['the same, and the run went on', [...first, ...second], [2, 1, 4], [3, 5]],
    ['requests that were under way', first.slice(0, 4), [], [1, 2]],
    ['a check that was under way, and is asked anew', [...first, ...second], [2, 1, 3, 4], [5]],
    ['nothing but a head', [head], [], []],
  ])('%s', ([, entries, seqs, lost]) => {
    expect(read(entries, seqs)).toEqual({ exchanges: seqs, lost })
  })
})

const without = (kind: Entry['kind'], at: number) =>
  first.toSpliced(first.map((entry) => entry.kind).indexOf(kind, at), 1)

describe('what none can', () => {
  test.for<[string, readonly Entry[], readonly number[], string]>([
    ['a gap', first, [1, 3], 'exchange 2 is missing, or not in its place'],
    ['a gap before the end', first, [2, 3], 'exchange 1 is missing'],
    ['no exchange at all', first, [], 'exchange 2 is missing'],
    ['exchanges that changed places', first, [1, 2, 3], 'exchange 2 is missing, or not in'],
    ['an exchange twice', first, [2, 2, 1, 3], 'exchange 2 is not in it, or more than once'],
    ['an exchange of no request', first, [2, 1, 3, 7], 'exchange 7 is not in it'],
    ['a gap of an earlier sitting', [...first, ...second], [2, 3, 4], 'exchange 1 is missing'],
    ['an answer that is gone', without('answered', 0), [2, 1, 3], 'exchange 2 is not in it'],
    ['an answer twice', [...first, answered(3)], [2, 1, 3], 'a request has two answers'],
    ['a request that is gone', without('sending', 0), [2, 1, 3], 'exchange 1 is not in it'],
    ['a result that is gone', without('result', 0), [2, 1, 3], 'check a has no result'],
    [
      'a check that is gone',
      [...without('check', 3), result('b')],
      [2, 1, 3],
      'a result has no check',
    ],
  ])('%s', ([, entries, seqs, message]) => {
    expect(() => read(entries, seqs)).toThrow(DamagedJournal)
    expect(() => read(entries, seqs)).toThrow(message)
  })
})
