// What the progress of a run says: the time that is left first, so that a narrow terminal has it.

import type { RunEvent } from '../engine/run-options.ts'
import { visible } from '../reports/visible.ts'
import { shownTime } from './shown-time.ts'

export interface State {
  doing: string
  wait: { readonly untilMs: number; readonly why: string } | undefined
  sent: number
  expected: number
  /** False where the target's clock is moved, so that a wait is over at once. */
  isWaitedFor: boolean
  /** About the time that was left, and when that was said; undefined where no time is waited. */
  left: { readonly ms: number; readonly saidMs: number } | undefined
  readonly startMs: number
}

export const take = (state: State, happened: RunEvent, nowMs: number): void => {
  state.wait = undefined
  if (happened.kind === 'start') state.expected = happened.requests
  if (happened.kind === 'request') state.sent = happened.sent
  if (happened.kind === 'load') state.doing = visible(happened.text)
  if (happened.kind === 'waiting') {
    state.wait = { untilMs: nowMs + happened.ms, why: happened.why }
  }
  if (happened.kind === 'check') {
    state.doing = `${happened.done + 1}/${happened.all} ${happened.id}`
    const { leftMs } = happened
    state.isWaitedFor = leftMs !== undefined
    state.left = leftMs === undefined ? undefined : { ms: leftMs, saidMs: nowMs }
  }
}

const inSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1_000))

/** The pace of a run's first moments says nothing of the rest. */
const paceLeast = { ms: 3_000, share: 0.1 }

/** By what the run says, and else as long for each request to come as for each one sent. */
const leftText = (state: State, nowMs: number): string => {
  const { left, sent, expected, startMs } = state
  // A target may make a run wait for longer than was foreseen.
  const waitMs = (waitOf(state, nowMs)?.untilMs ?? nowMs) - nowMs
  const toldOf = (ms: number) => `about ${shownTime(1_000 * inSeconds(Math.max(ms, waitMs)))} left`
  if (left) return toldOf(left.ms - (nowMs - left.saidMs))
  const spentMs = nowMs - startMs
  if (spentMs < paceLeast.ms || sent < paceLeast.share * expected || sent >= expected) return ''
  return sent === 0 ? '' : toldOf((spentMs / sent) * (expected - sent))
}

/** The wait that goes on, where it is one of real time. */
export const waitOf = ({ wait, isWaitedFor }: State, nowMs: number): State['wait'] =>
  wait && isWaitedFor && wait.untilMs > nowMs ? wait : undefined

/** The parts of the line, the one that matters most first. */
export const lineOf = (state: State, nowMs: number): string[] => {
  const wait = waitOf(state, nowMs)
  const what = wait
    ? `waiting ${inSeconds(wait.untilMs - nowMs)} s: ${visible(wait.why)}`
    : state.doing
  const requests = `${state.sent}/${Math.max(state.expected, state.sent)} requests`
  return [leftText(state, nowMs), what, requests].filter(Boolean)
}

const between = ' · '

/** As many of the parts as fit, and as much of the first that does not as is worth reading. */
export const fitted = (parts: readonly string[], widthMost: number): string => {
  const whole = parts.join(between)
  if (whole.length <= widthMost) return whole
  const fewer = parts.slice(0, -1)
  if (fewer.length > 1) return fitted(fewer, widthMost)
  const [first = '', second] = parts
  const room = widthMost - first.length - between.length
  if (second !== undefined && room >= cutLeast) return `${first}${between}${cut(second, room)}`
  return cut(first.replace(/^about /, ''), widthMost)
}

const cutLeast = 8

const cut = (text: string, widthMost: number): string =>
  text.length <= widthMost
    ? text
    : `${text.slice(0, Math.max(0, widthMost - 1))}…`.slice(0, widthMost)
