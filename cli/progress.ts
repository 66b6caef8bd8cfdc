// The progress of a run: a line on a terminal, written over itself; elsewhere a line now and then.
import type { RunEvent } from '../engine/run-options.ts'
import { fitted, lineOf, type State, take, waitOf } from './progress-text.ts'

export interface Screen {
  readonly write: (text: string) => void
  /** Whether a line can be taken back. */
  readonly isTerminal: boolean
  readonly columns: () => number
}

export interface Progress {
  readonly event: (event: RunEvent) => void
  /** Called each second or so: draws the line anew where nothing happens. */
  readonly tick: () => void
  /** Called when the terminal has another width. */
  readonly resized: () => void
  /** Takes the line away. */
  readonly clear: () => void
}

const betweenMs = 100
/** Where there is no terminal a log is kept short. */
const sparse = { waitLeastMs: 10_000, betweenMs: 30_000 }

/** @param nowMs a clock that never steps back */
export const createProgress = (screen: Screen, nowMs: () => number): Progress => {
  const state: State = {
    doing: '',
    wait: undefined,
    sent: 0,
    expected: 0,
    isWaitedFor: true,
    left: undefined,
    startMs: nowMs(),
  }
  return screen.isTerminal ? onTerminal(screen, state, nowMs) : inLog(screen, state, nowMs)
}

const onTerminal = (screen: Screen, state: State, nowMs: () => number): Progress => {
  let drawnMs = Number.NEGATIVE_INFINITY
  let drawn = ''

  /** A line that no longer fits was broken into several by the terminal. */
  const wipe = () => {
    const above = Math.ceil(drawn.length / Math.max(1, screen.columns())) - 1
    return `${above > 0 ? `\u001b[${above}A` : ''}\r${above > 0 ? '\u001b[J' : ''}`
  }
  const clear = () => {
    if (drawn !== '') screen.write(`${wipe()}\u001b[K`)
    drawn = ''
  }
  const draw = () => {
    drawnMs = nowMs()
    const line = fitted(lineOf(state, drawnMs), screen.columns() - 1)
    // What stands there already is not written again, so nothing flickers.
    if (line !== drawn) screen.write(`${drawn === '' ? '\r' : wipe()}${line}\u001b[K`)
    drawn = line
  }
  const redraw = () => {
    if (drawn !== '') draw()
  }
  const event = (happened: RunEvent) => {
    take(state, happened, nowMs())
    if (happened.kind === 'waiting' || nowMs() - drawnMs >= betweenMs) draw()
  }
  return { event, tick: redraw, resized: redraw, clear }
}

const inLog = (screen: Screen, state: State, nowMs: () => number): Progress => {
  let saidMs = nowMs()
  const say = () => {
    saidMs = nowMs()
    screen.write(`petvet: ${lineOf(state, saidMs).join(' · ')}\n`)
  }
  const isDue = () => nowMs() - saidMs >= sparse.betweenMs
  let hasWaited = false
  const event = (happened: RunEvent) => {
    take(state, happened, nowMs())
    // A load tells each of its seconds itself.
    if (happened.kind === 'load') saidMs = nowMs()
    const isLong = happened.kind === 'waiting' && happened.ms >= sparse.waitLeastMs
    if (!isLong || !waitOf(state, nowMs()) || (hasWaited && !isDue())) return
    hasWaited = true
    say()
  }
  const tick = () => {
    if (state.doing !== '' && isDue()) say()
  }
  return { event, tick, resized: () => {}, clear: () => {} }
}

export const noProgress: Progress = {
  event: () => {},
  tick: () => {},
  resized: () => {},
  clear: () => {},
}
