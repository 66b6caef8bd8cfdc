// A page of the notebook: what is known of one key's day at one target. Times are Unix milliseconds
// by our own clock on the wall.
import { dayMs } from '../quota/key-minute.ts'

/** Calls that followed each other closely. */
export interface Stretch {
  readonly fromMs: number
  readonly toMs: number
  /** Answered 2xx, 429, anything else, and not at all. */
  readonly served: number
  readonly refused: number
  readonly other: number
  readonly lost: number
}

type Ending = 'served' | 'refused' | 'other' | 'lost'

/** What the last answer that spoke of the day said of it. */
export interface DaySaid {
  readonly atMs: number
  /** As it was declared, in Unix seconds. */
  readonly reset: number
  /** The same by our own clock. */
  readonly endsMs: number
  readonly remaining: number
  /** How many were served after it. */
  readonly servedSince: number
  /** How many more the day may serve that has this Reset, by its own word; below 0: too many. */
  readonly mayServe: number
  /** Whether the calls that are noted here explain it to the last one. */
  readonly isOurs: boolean
}

export type DayFound = 'holds' | 'unclear' | 'breach'

/** The refusal that ended a day. */
export interface DayRefusal {
  readonly atMs: number
  /** When the wait that it told is over. */
  readonly endsMs: number
  /** Whether too many were served, and whether too few. */
  readonly more: DayFound
  readonly fewer: DayFound
  /** Whether every call of the day was noted here, so that nobody else made one. */
  readonly isOurs: boolean
}

export interface Page {
  readonly target: string
  /** A digest of the key, and never the key. */
  readonly digest: string
  stretches: readonly Stretch[]
  /** Calls that were noted before they were sent, and whose end is not known. */
  underWay: number
  said: DaySaid | null
  /** Null where no day was spent, or what was to be found out after it has been. */
  refusal: DayRefusal | null
  /** Whether the last day that was spent lacked one call, which another client may have taken. */
  lackedOne: boolean
}

export const emptyPage = (target: string, digest: string): Page => ({
  target,
  digest,
  stretches: [],
  underWay: 0,
  said: null,
  refusal: null,
  lackedOne: false,
})

/** A pause this long begins a new stretch. */
const pauseMs = 5_000
const stretchesMost = 400
/** No day reaches further back, whatever the design. */
const keptMs = 2 * dayMs

const none = { served: 0, refused: 0, other: 0, lost: 0 }

const merged = (a: Stretch, b: Stretch): Stretch => ({
  fromMs: Math.min(a.fromMs, b.fromMs),
  toMs: Math.max(a.toMs, b.toMs),
  served: a.served + b.served,
  refused: a.refused + b.refused,
  other: a.other + b.other,
  lost: a.lost + b.lost,
})

/** The oldest are kept less exactly before they are forgotten. */
const bounded = (stretches: readonly Stretch[], nowMs: number): readonly Stretch[] => {
  const kept = stretches.filter(({ toMs }) => toMs > nowMs - keptMs)
  const [first, second, ...rest] = kept
  const isLong = first !== undefined && second !== undefined && kept.length > stretchesMost
  return isLong ? [merged(first, second), ...rest] : kept
}

/** Notes a call that has ended. */
export const noteCall = (page: Page, fromMs: number, toMs: number, ending: Ending): void => {
  const call = { ...none, fromMs, toMs: Math.max(fromMs, toMs), [ending]: 1 }
  const last = page.stretches.at(-1)
  const isNear = last !== undefined && Math.abs(fromMs - last.toMs) < pauseMs
  page.stretches = isNear
    ? [...page.stretches.slice(0, -1), merged(last, call)]
    : bounded([...page.stretches, call], call.toMs)
  page.underWay = Math.max(0, page.underWay - 1)
  const { said } = page
  if (said && ending === 'served') page.said = { ...said, servedSince: said.servedSince + 1 }
}

/** A run that ended before its answer came leaves a call of which nothing more is known. */
export const settlePage = (page: Page, nowMs: number): void => {
  const atMs = page.stretches.at(-1)?.toMs ?? nowMs
  for (let left = page.underWay; left > 0; left -= 1) noteCall(page, atMs, atMs, 'lost')
}

export interface Calls {
  readonly served: number
  readonly refused: number
  readonly other: number
  readonly lost: number
  /** Whether all of them surely lie within the span, and no other call that was noted. */
  readonly isSure: boolean
}

/** The calls that were sent at this moment or later. */
export const callsSince = (page: Page, sinceMs: number): Calls => {
  const within = page.stretches.filter(({ fromMs }) => fromMs >= sinceMs)
  const isSure = page.stretches.every(({ fromMs, toMs }) => fromMs >= sinceMs || toMs < sinceMs)
  const { served, refused, other, lost } = within.reduce(merged, { ...none, fromMs: 0, toMs: 0 })
  return { served, refused, other, lost, isSure }
}

/**
 * Whether so many spent calls are these and no other ones. Which answers count is open: those to
 * refused calls, and those to unsound ones, do or do not.
 */
export const explains = (calls: Calls, spent: number): boolean => {
  const { served, refused, other, lost, isSure } = calls
  const counts = [served, served + refused, served + other, served + refused + other]
  return isSure && counts.some((count) => spent >= count && spent <= count + lost)
}
