// The progress of a run: one line on a terminal, written over itself; elsewhere a line for a wait.
import { visible } from '../reports/visible.ts'
import type { RunEvent } from '../suites/kit/run-options.ts'
import { shownTime } from './shown-time.ts'

export interface Screen {
  readonly write: (text: string) => void
  readonly isTerminal: boolean
  readonly columns: () => number
}

export interface Progress {
  readonly event: (event: RunEvent) => void
  /** Called each second or so: draws the line anew where nothing happens. */
  readonly tick: () => void
  /** Takes the line away. */
  readonly clear: () => void
}

const betweenMs = 100
/** Where there is no terminal a log is kept short. */
const sparse = { waitLeastMs: 10_000, betweenMs: 30_000 }

interface State {
  doing: string
  wait: { readonly untilMs: number; readonly why: string } | undefined
  sent: number
  expected: number
  /** The least time that was left, and when that was said; undefined where no time is waited. */
  left: { readonly ms: number; readonly saidMs: number } | undefined
  readonly startMs: number
}

const inSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1_000))

/** By what the run says, and else as long for each request to come as for each one sent. */
const leftText = ({ left, sent, expected, startMs }: State, nowMs: number): string => {
  if (left) {
    const ms = 1_000 * inSeconds(left.ms - (nowMs - left.saidMs))
    return `about ${shownTime(ms)} left`
  }
  if (sent === 0 || sent >= expected) return ''
  const leftMs = ((nowMs - startMs) / sent) * (expected - sent)
  return `about ${inSeconds(leftMs)} s left`
}

const waitText = ({ untilMs, why }: NonNullable<State['wait']>, nowMs: number): string =>
  `waiting ${inSeconds(untilMs - nowMs)} s: ${visible(why)}`

const lineOf = (state: State, nowMs: number): string => {
  const { wait, doing, sent, expected } = state
  const what = wait && wait.untilMs > nowMs ? waitText(wait, nowMs) : doing
  const requests = `${sent}/${Math.max(expected, sent)} requests`
  return [what, requests, leftText(state, nowMs)].filter(Boolean).join(' · ')
}

const take = (state: State, happened: RunEvent, nowMs: number): void => {
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
    state.left = leftMs === undefined ? undefined : { ms: leftMs, saidMs: nowMs }
  }
}

/** @param nowMs a clock that never steps back */
export const createProgress = (screen: Screen, nowMs: () => number): Progress => {
  const startMs = nowMs()
  const state: State = {
    doing: '',
    wait: undefined,
    sent: 0,
    expected: 0,
    left: undefined,
    startMs,
  }
  let drawnMs = Number.NEGATIVE_INFINITY
  let drawn = ''

  const clear = () => {
    if (drawn !== '') screen.write('\r\u001b[K')
    drawn = ''
  }

  const draw = () => {
    drawnMs = nowMs()
    const line = lineOf(state, drawnMs).slice(0, Math.max(0, screen.columns() - 1))
    // What stands there already is not written again, so nothing flickers.
    if (line !== drawn) screen.write(`\r${line}\u001b[K`)
    drawn = line
  }

  const log = (happened: RunEvent) => {
    const isLong = happened.kind === 'waiting' && happened.ms >= sparse.waitLeastMs
    if (!isLong || !state.left || !state.wait || nowMs() - drawnMs < sparse.betweenMs) return
    drawnMs = nowMs()
    screen.write(`petvet: ${waitText(state.wait, drawnMs)}; ${leftText(state, drawnMs)}\n`)
  }

  const event = (happened: RunEvent) => {
    take(state, happened, nowMs())
    if (!screen.isTerminal) log(happened)
    else if (happened.kind === 'waiting' || nowMs() - drawnMs >= betweenMs) draw()
  }
  const tick = () => {
    if (screen.isTerminal && drawn !== '') draw()
  }
  return { event, tick, clear }
}

export const noProgress: Progress = { event: () => {}, tick: () => {}, clear: () => {} }
