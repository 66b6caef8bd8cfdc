// Reads what a run did before it was broken off, from its journal and its exchanges.

import type { RecordedExchange } from '../record.ts'
import type { Entry, Head } from './journal.ts'
import type { Past, Segment, Told, ToldClock } from './past.ts'

export class DamagedJournal extends Error {}

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
  readonly answers: Map<number, Told<'answered'>>
}

const openSegment = (reading: Reading, check: string | null): void => {
  const { brokenAt, sitting } = reading
  const nothing = { exchanges: [], clock: [], lost: [], result: null }
  reading.segments.push({ check, sitting, brokenAt, ...nothing })
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
    reading.sittings.push(entry)
    reading.endsMs.push(reading.nowMs)
    reading.brokenAt = reading.seq
    reading.sitting += 1
    openSegment(reading, null)
  },
  start: (reading, { clockMs }) => {
    reading.startClockMs = clockMs
  },
  check: (reading, { id }) => openSegment(reading, id),
  sending: (reading, entry, { lost }) => {
    if (entry.seq <= reading.seq) throw new DamagedJournal('its requests are not in order')
    reading.seq = entry.seq
    lost.push(entry)
  },
  answered: (reading, entry) => {
    if (entry.seq > reading.seq) throw new DamagedJournal('an answer has no request')
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
}

/** Puts each exchange where it was asked; what has none was under way, or never sent. */
const placeExchanges = (
  segments: readonly Segment[],
  answers: ReadonlyMap<number, Told<'answered'>>,
  exchanges: Iterable<RecordedExchange>,
): void => {
  const places = new Map(segments.flatMap((each) => each.lost.map(({ seq }) => [seq, each])))
  const done = new Set<number>()
  for (const exchange of exchanges) {
    const segment = places.get(exchange.seq)
    const answered = answers.get(exchange.seq)
    const sending = segment?.lost.find(({ seq }) => seq === exchange.seq)
    if (!segment || !answered || !sending || done.has(exchange.seq)) {
      throw new DamagedJournal(`exchange ${exchange.seq} is not in it, or more than once`)
    }
    done.add(exchange.seq)
    segment.exchanges.push({ ...exchange, sending, answered })
  }
  for (const { lost } of segments) {
    const left = lost.filter(({ seq }) => !done.has(seq))
    lost.splice(0, lost.length, ...left)
  }
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
    answers: new Map(),
  }
  for (const entry of entries) take(reading, entry)
  const { head, segments, startClockMs, seq, nowMs, clock, movedMs } = reading
  if (!head) return null
  placeExchanges(segments, reading.answers, exchanges)
  const wallMs = lastWallMs(head, segments, nowMs)
  const wallAt = (ms: number) => new Date(wallMs - nowMs + ms).toISOString()
  const interruptions = reading.sittings.map(({ at }, place) => ({
    brokenAt: wallAt(reading.endsMs[place] ?? 0),
    resumedAt: at,
    lost: lostIn(segments, place),
  }))
  return {
    ...{ head, segments, startClockMs, seq, nowMs, wallMs, movedMs, clock },
    interruptions,
    lost: lostIn(segments, reading.sitting),
    workedMs: nowMs - head.nowMs - idleOf(reading),
  }
}
