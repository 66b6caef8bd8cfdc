// Time of a run that is told again: it stands where its record says, and goes on from there later.
import type { WireAnswer } from '../wire/client.ts'
import type { TargetClock } from '../wire/target-clock.ts'
import type { WireRequest } from '../wire/wire-request.ts'
import type { Wires } from '../wire/wires.ts'
import type { ClockWord, Entry } from './journal.ts'
import type { Segment, ToldClock } from './past.ts'
import { Untold } from './untold.ts'

interface Instant {
  /** Monotonic milliseconds of the run, the moves of the clock left out. */
  readonly nowMs: number
  readonly movedMs: number
  /** Null: not known better than before. */
  readonly wallMs: number | null
}

export interface ToldTime {
  /** Wires of the same world, whose time is that of the run. */
  readonly wires: Wires
  readonly isTelling: () => boolean
  /** What is told from here on; null: nothing more. */
  readonly tell: (segment: Segment | null) => void
  /** Time moves on to an instant; never back. */
  readonly reach: (instant: Instant) => void
  /** From here on it is no longer told: it passes. */
  readonly goOn: (nowMs: number, movedMs: number) => void
  /** Now, the moves of the clock left out. */
  readonly realMs: () => number
  /** Our own clock on the wall, also while a run is told. */
  readonly wallNowMs: () => number
}

/** The answer that the clock gave next after a request, to a question of this kind. */
const nextOf = (told: ToldClock[], word: ClockWord, after: number): ToldClock | undefined => {
  const at = told.findIndex((each) => each.word === word && each.after === after)
  return at < 0 ? undefined : told.splice(0, at + 1).at(-1)
}

interface Place {
  /** The number of the last request that was told, or sent since. */
  readonly latest: () => number
  /** Whether more is told of the check that is told. */
  readonly hasMore: () => boolean
  /** Told of each answer of the clock. */
  readonly noted: (entry: Entry) => void
}

/** The clock as it was answered while a run is told, and what it answers since. */
const createToldClock = (
  clock: TargetClock,
  time: Pick<ToldTime, 'isTelling' | 'reach' | 'realMs'> & { readonly movedMs: () => number },
  { latest, hasMore, noted }: Place,
) => {
  let told: ToldClock[] = []
  let clockMs = 0

  const tellNext = (word: ClockWord): number => {
    const next = nextOf(told, word, latest())
    // A wait that had just become needless, or was found to be just then.
    if (!next && word === 'advance' && hasMore()) return clockMs
    if (!next) throw new Untold()
    time.reach({ nowMs: next.nowMs, movedMs: next.movedMs, wallMs: null })
    return next.clockMs
  }
  const asked = async (word: ClockWord, ask: () => Promise<number>): Promise<number> => {
    if (time.isTelling()) {
      clockMs = tellNext(word)
      return clockMs
    }
    const after = latest()
    const nowMs = await ask()
    const movedMs = time.movedMs()
    noted({ kind: 'clock', word, after, clockMs: nowMs, movedMs, nowMs: time.realMs() })
    return nowMs
  }
  const own: TargetClock = {
    now: () => asked('now', clock.now),
    advance: (ms) => asked('advance', () => clock.advance(ms)),
    set: (iso) => asked('set', () => clock.set(iso)),
  }
  const tell = (segment: Segment | null) => {
    told = [...(segment?.clock ?? [])]
  }
  return { clock: own, tell }
}

/** @param telling whether a run is told at all */
export const createToldTime = (base: Wires, telling: boolean, place: Place): ToldTime => {
  let isTelling = telling
  let at = { nowMs: 0, movedMs: 0, wallMs: 0 }
  // What the time of the run is ahead of that of this process.
  let aheadMs = 0
  let movedBeforeMs = 0

  const baseMs = () => base.pace.now() - base.pace.movedMs() + aheadMs
  const movedMs = () => (isTelling ? at.movedMs : base.pace.movedMs() + movedBeforeMs)
  const realMs = () => (isTelling ? at.nowMs : baseMs())
  const reach = ({ nowMs, movedMs: moved, wallMs }: Instant) => {
    if (nowMs >= at.nowMs) at = { nowMs, movedMs: moved, wallMs: wallMs ?? at.wallMs }
  }

  const time = { isTelling: () => isTelling, reach, realMs, movedMs }
  const told = base.clock && createToldClock(base.clock, time, place)
  const pass = async (ms: number) => {
    if (told) await told.clock.advance(Math.ceil(ms))
    else if (!isTelling) await base.pace.pass(ms)
  }
  const sleep = (ms: number) => (isTelling ? Promise.resolve() : base.pace.sleep(ms))
  const send = async (request: WireRequest): Promise<WireAnswer> => {
    const answer = await base.client.send(request)
    const { sentMs, receivedMs } = answer
    return { ...answer, sentMs: sentMs + aheadMs, receivedMs: receivedMs + aheadMs }
  }
  const wires: Wires = {
    ...base,
    client: { ...base.client, send },
    clock: told?.clock ?? null,
    pace: { ...base.pace, now: () => realMs() + movedMs(), movedMs, pass, sleep },
    wallMs: () => (isTelling ? at.wallMs : base.wallMs()),
  }
  const goOn = (nowMs: number, moved: number) => {
    isTelling = false
    aheadMs += nowMs - baseMs()
    movedBeforeMs = moved - base.pace.movedMs()
  }
  const tell = (segment: Segment | null) => told?.tell(segment)
  return { ...time, wires, tell, goOn, wallNowMs: base.wallMs }
}
