// Reads what a run did before it was broken off, from its journal and its exchanges.

import type { RecordedExchange } from '../record.ts'
import { DamagedJournal } from './damaged-journal.ts'
import type { Entry, Head } from './journal.ts'
import type { Past, Segment, Told, ToldClock } from './past.ts'
import { placeExchanges } from './place-exchanges.ts'

/** The parts of a past while it is read. */
interface Reading {
  head: Head | null
  segments: Segment[]
  sittings: Told<'sitting'>[]
  /** Of each sitting but the latest, the time of the last thing that is known of it. */
  endsMs: number[]
  startClockMs: number | null
  seq: number
  nowMs: number
  clock: ToldClock | null
  movedMs: number
  brokenAt: number
  sitting: number
  /** In the order in which they came. */
  readonly answers: Map<number, Told<'answered'>>
  /** Answers behind which a sitting ended: their exchanges may not have been written any more. */
  readonly latest: Set<number>
  previous: Entry['kind']
}

const openSegment = (reading: Reading, check: string | null): void => {
  const { brokenAt, sitting, startClockMs } = reading
  const nothing = { exchanges: [], clock: [], lost: [], result: null }
  reading.segments.push({ check, sitting, brokenAt, startClockMs, ...nothing })
}

/** An answer is told in the journal, and then at once among the exchanges. */
const endSitting = ({ previous, answers, latest }: Reading): void => {
  const last = [...answers.keys()].at(-1)
  if (previous === 'answered' && last !== undefined) latest.add(last)
}

type Takers = {
  readonly [Kind in Entry['kind']]: (
    reading: Reading,
    entry: Told<Kind>,
    /** The one that is open. */
    segment: Segment,
  ) => void
}

const takers: Takers = {
  head: () => {
    throw new DamagedJournal('it has two heads')
  },
  sitting: (reading, entry) => {
    endSitting(reading)
    reading.sittings.push(entry)
    reading.endsMs.push(reading.nowMs)
    reading.brokenAt = reading.seq
    reading.sitting += 1
    openSegment(reading, null)
  },
  start: (reading, { clockMs }) => {
    reading.startClockMs = clockMs
  },
  check: (reading, { id }, { check, sitting, result }) => {
    if (check !== null && !result && sitting === reading.sitting) {
      throw new DamagedJournal(`check ${check} has no result`)
    }
    openSegment(reading, id)
  },
  sending: (reading, entry, { lost }) => {
    if (entry.seq <= reading.seq) throw new DamagedJournal('its requests are not in order')
    reading.seq = entry.seq
    lost.push(entry)
  },
  answered: (reading, entry) => {
    if (entry.seq > reading.seq) throw new DamagedJournal('an answer has no request')
    if (reading.answers.has(entry.seq)) throw new DamagedJournal('a request has two answers')
    reading.answers.set(entry.seq, entry)
    reading.movedMs = Math.max(reading.movedMs, entry.movedMs + (entry.meanwhileMs ?? 0))
  },
  clock: (reading, entry, { clock }) => {
    clock.push(entry)
    reading.clock = entry
    reading.movedMs = entry.movedMs
  },
  result: (_reading, { result }, segment) => {
    if (segment.check !== result.id) throw new DamagedJournal('a result has no check')
    segment.result = result
  },
}

const take = (reading: Reading, entry: Entry): void => {
  const segment = reading.segments.at(-1)
  if (segment) {
    // Each kind has the taker of its name.
    const taker = takers[entry.kind] as (...given: [Reading, Entry, Segment]) => void
    taker(reading, entry, segment)
  } else if (entry.kind === 'head') {
    reading.head = entry
    openSegment(reading, null)
  } else throw new DamagedJournal('it does not begin with its head')
  const atMs = entry.kind === 'answered' ? entry.receivedMs : 'nowMs' in entry ? entry.nowMs : 0
  reading.nowMs = Math.max(reading.nowMs, atMs)
  reading.previous = entry.kind
}

const idleOf = ({ sittings, endsMs }: Reading): number =>
  sittings.reduce((sum, { nowMs }, at) => sum + Math.max(0, nowMs - (endsMs[at] ?? nowMs)), 0)

const lostIn = (segments: readonly Segment[], sitting: number): number =>
  segments
    .filter((segment) => segment.sitting === sitting)
    .reduce((sum, { lost }) => sum + lost.length, 0)

/** A machine that slept is not told by monotonic time, so the latest word of the wall counts. */
const lastWallMs = (head: Head, segments: readonly Segment[], nowMs: number): number => {
  const last = segments.findLast(({ exchanges }) => exchanges.length > 0)?.exchanges.at(-1)
  if (!last) return Date.parse(head.startedAt) + (nowMs - head.nowMs)
  return Date.parse(last.at) + (nowMs - last.answered.sentMs)
}

/** @throws DamagedJournal of one line */
export const readPast = (
  entries: Iterable<Entry>,
  exchanges: Iterable<RecordedExchange>,
): Past | null => {
  const reading: Reading = {
    ...{ head: null, segments: [], sittings: [], endsMs: [], startClockMs: null },
    ...{ seq: 0, nowMs: 0, clock: null, movedMs: 0, brokenAt: 0, sitting: 0 },
    ...{ answers: new Map(), latest: new Set<number>(), previous: 'head' },
  }
  for (const entry of entries) take(reading, entry)
  endSitting(reading)
  const { head, segments, seq, nowMs, clock, movedMs } = reading
  if (!head) return null
  placeExchanges(reading, exchanges)
  const wallMs = lastWallMs(head, segments, nowMs)
  const wallAt = (ms: number) => new Date(wallMs - nowMs + ms).toISOString()
  const interruptions = reading.sittings.map(({ at }, place) => ({
    brokenAt: wallAt(reading.endsMs[place] ?? 0),
    resumedAt: at,
    lost: lostIn(segments, place),
  }))
  return {
    ...{ head, segments, seq, nowMs, wallMs, movedMs, clock },
    interruptions,
    lost: lostIn(segments, reading.sitting),
    workedMs: nowMs - head.nowMs - idleOf(reading),
  }
}
