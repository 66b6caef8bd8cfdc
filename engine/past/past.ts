// What a run did before it was broken off: its journal and its exchanges, put in order.

import type { RecordedExchange } from '../record.ts'
import type { CheckResult, Interruption } from '../run-file.ts'
import type { ClockWord, Entry, Head } from './journal.ts'

export type Told<K extends Entry['kind']> = Extract<Entry, { kind: K }>

/** An exchange with what its journal knows besides. */
export interface ToldExchange extends RecordedExchange {
  readonly sending: Told<'sending'>
  readonly answered: Told<'answered'>
}

export interface ToldClock {
  readonly word: ClockWord
  /** The number of the last request that was sent before it. */
  readonly after: number
  readonly clockMs: number
  readonly movedMs: number
  readonly nowMs: number
}

/** What was done for one check, or before the first one of a sitting. */
export interface Segment {
  /** Null: the smoke call, or the look round of a run that goes on. */
  readonly check: string | null
  /** Which sitting of the run, from 0. */
  readonly sitting: number
  /** The number of the last request before this sitting began; 0 in the first one. */
  readonly brokenAt: number
  /** Where the clock stood when the first question of its sitting was put. */
  readonly startClockMs: number | null
  /** In the order in which their answers came. */
  readonly exchanges: ToldExchange[]
  readonly clock: ToldClock[]
  /** Requests whose answer is not known: they may have counted. */
  readonly lost: Told<'sending'>[]
  result: CheckResult | null
}

export interface Past {
  readonly head: Head
  readonly segments: readonly Segment[]
  /** The number of the last request. */
  readonly seq: number
  /** The time of the last thing that is known: of the run, and on the wall. */
  readonly nowMs: number
  readonly wallMs: number
  /** How far the clock had been moved by then. */
  readonly movedMs: number
  readonly clock: ToldClock | null
  readonly interruptions: readonly Interruption[]
  /** Requests of its latest sitting whose answer is not known. */
  readonly lost: number
  /** How long the run was at work. */
  readonly workedMs: number
}

/** What is asked again, although it ended: it says nothing of the target. */
export const isDecided = ({ outcome, because }: CheckResult): boolean =>
  outcome !== 'error' && because !== 'interrupted' && because !== 'budget'
