// The least time that a run can take without a test clock: windows and rests that nobody can skip.
import type { Question } from '../check.ts'
import { lackOf } from '../lack.ts'
import { type Asked, unshared } from '../order.ts'
import type { Asking } from '../plan.ts'
import { askable } from '../plan.ts'
import type { KeyOption } from '../run-options.ts'
import type { Held } from './experiments.ts'
import { heldBy } from './experiments.ts'
import type { Standing, Work } from './key-work.ts'
import { minuteMs, windowsFor, workMs } from './key-work.ts'

/** How long the reference bans. */
const banMs = 90_000

/** Requests of questions that hold no experiment; those that do are counted with it. */
const plainRequests = (asked: readonly Asked[]): number =>
  unshared(asked)
    .filter(({ needs }) => needs.holds === undefined)
    .reduce((total, { needs }) => total + needs.keyed, 0)

/** The smoke call goes with every key, so each has to rest before its burst. */
const burstOn = (key: KeyOption, held: readonly Held[], isRested: boolean): Work['burst'] => {
  const has = (experiment: Held['experiment']) =>
    held.some((each) => each.key === key && each.experiment === experiment)
  if (!has('burst') && !has('knocks')) return 'none'
  if (isRested) return 'rested'
  return has('silence') ? 'after-silence' : 'after-rest'
}

/** What is to be done, with what has been done before it. */
interface Job {
  readonly asked: readonly Asked[]
  readonly held: readonly Held[]
  readonly done: readonly Held[]
  /** Requests beside those of the questions. */
  readonly first: number
  readonly keys: readonly KeyOption[]
  readonly standingOf: (key: KeyOption) => Standing
}

/** What a key has to do by itself, beside what any key can do. */
const ownWork = (key: KeyOption, { held, done, keys }: Job, shared: number): Work => {
  const own = held.filter((each) => each.key === key).map(({ experiment }) => experiment)
  const isRested = done.some((each) => each.key === key && each.experiment === 'silence')
  return {
    perMinute: key.quota.perMinute,
    requests: (keys.length === 1 ? shared : 0) + (own.includes('silence') ? 1 : 0),
    burst: burstOn(key, held, isRested),
    retries: own.includes('retry'),
  }
}

/** When the keys together have granted so many requests. */
const sharedMs = (requests: number, keys: readonly KeyOption[], resetInMs: number): number => {
  const perMinute = keys.reduce((total, { quota }) => total + quota.perMinute, 0)
  const windows = windowsFor(requests - perMinute, Math.max(1, perMinute))
  return windows === 0 ? 0 : resetInMs + (windows - 1) * minuteMs
}

/** What an experiment takes on its key that no order of the work makes shorter. */
const aloneMs = (key: KeyOption, held: readonly Held[], { resetInMs }: Standing): number => {
  const has = (experiment: Held['experiment']) =>
    held.some((each) => each.key === key && each.experiment === experiment)
  const windows = windowsFor(key.quota.perDay + 1, key.quota.perMinute)
  return has('day') ? resetInMs + Math.max(0, windows - 2) * minuteMs : 0
}

/** How what the keys have to do falls together: at once at best, and in a run one by one. */
type Together = (ownMs: readonly number[]) => number
const atOnce: Together = (ownMs) => Math.max(0, ...ownMs)
const inTurn: Together = (ownMs) => ownMs.reduce((sum, ms) => sum + ms, 0)

/** The least time for questions, by experiments that they make a run hold and by requests. */
const leastMs = (job: Job, together: Together): number => {
  const { asked, held, first, keys, standingOf } = job
  const shared = plainRequests(asked) + first
  const own = keys.map((key) => {
    const ban = held.some((each) => each.key === key && each.experiment === 'knocks') ? banMs : 0
    const standing = standingOf(key)
    const work = workMs(ownWork(key, job, shared), standing) + ban
    return Math.max(work, aloneMs(key, held, standing))
  })
  const resets = keys.map((key) => standingOf(key).resetInMs)
  return Math.max(together(own), sharedMs(shared, keys, Math.min(minuteMs, ...resets)))
}

/**
 * The least time of a run without a test clock, where every question passes.
 * @param intoMinuteMs how far the minute of the target has gone when the run starts
 */
export const boundMs = (
  questions: readonly Question[],
  asking: Asking,
  intoMinuteMs: number,
): number => {
  const asked = askable(questions, asking)
  const resetInMs = minuteMs - (intoMinuteMs % minuteMs)
  const standingOf = ({ quota }: KeyOption) => ({ left: quota.perMinute, resetInMs })
  const { keys } = asking
  const job = { asked, held: heldBy(asked, asking), done: [], first: keys.length, keys, standingOf }
  return leastMs(job, atOnce)
}

/**
 * The time that is left in the middle of a run, by the same arithmetic. A run does one thing after
 * another, so of several keys it adds up what each has to do.
 * @param before the questions that were asked already
 */
export const timeLeftMs = (
  before: readonly Asked[],
  left: readonly Asked[],
  asking: Asking,
  standingOf: (key: KeyOption) => Standing,
): number => {
  const { keys } = asking
  const done = heldBy(before, asking)
  const isNew = ({ experiment, key }: Held) =>
    !done.some((each) => each.experiment === experiment && each.key === key)
  const asked = left.filter(({ needs }) => lackOf(needs, asking) === undefined)
  const held = heldBy(asked, asking).filter(isNew)
  return leastMs({ asked, held, done, first: 0, keys, standingOf }, inTurn)
}
