// The progress of a run: one line on a terminal, redrawn in place; elsewhere a line now and then.
import type { RunEvent } from '../../engine/run/run-options.ts'
import { cut, visible } from '../../reports/visible.ts'

interface Screen {
  readonly write: (text: string) => void
  /** Whether a line can be redrawn. */
  readonly isTerminal: boolean
  readonly columns: () => number
}

/** Standard error, which nobody reads as a result. */
export const standardError: Screen = {
  write: (text) => {
    process.stderr.write(text)
  },
  // A dumb one cannot take a line back.
  isTerminal: process.stderr.isTTY === true && process.env.TERM !== 'dumb',
  // A terminal of unknown width says 0.
  columns: () => process.stderr.columns || 80,
}

/** A line on standard error, where nobody reads it as a result. */
export const say = (line: string, { quiet = false, events = false } = {}): void => {
  if (!quiet && !events) process.stderr.write(`petvet: ${line}\n`)
}

/** A longer line is harder to read. */
const maxColumns = 100

/** Null where standard output is no terminal: piped lines are not wrapped. */
export const readingColumns = (): number | null =>
  process.stdout.isTTY ? Math.min(process.stdout.columns || 80, maxColumns) : null

interface Progress {
  readonly event: (event: RunEvent) => void
  /** Called about each second: redraws the line where nothing happens. */
  readonly tick: () => void
  /** Removes the line. */
  readonly clear: () => void
}

/**
 * @param nowMs a clock that never steps back
 * @param excused checks whose failure is known; null: failures are not printed
 */
export const createProgress = (
  screen: Screen,
  nowMs: () => number,
  excused: ReadonlySet<string> | null = null,
): Progress => {
  const state = new ProgressState(nowMs, excused)
  return screen.isTerminal ? onTerminal(screen, state, nowMs) : inLog(screen, state, nowMs)
}

export const noProgress: Progress = { event: () => {}, tick: () => {}, clear: () => {} }

/** What the last events said, as parts of a line. */
class ProgressState {
  private readonly nowMs: () => number
  doing = ''
  private sent = 0
  private expected = 0
  private wait: { readonly untilMs: number; readonly why: string } | undefined
  /** About when the run ends; undefined where the target's clock is moved instead of waiting. */
  private endMs: number | undefined
  private isRealTime = true
  private readonly excused: ReadonlySet<string> | null
  private readonly failed = new Set<string>()

  constructor(nowMs: () => number, excused: ReadonlySet<string> | null) {
    this.nowMs = nowMs
    this.excused = excused
  }

  /** The headline of a failure that this event is the first to report. */
  failureIn(event: RunEvent): string | undefined {
    if (this.excused === null || (event.kind !== 'result' && event.kind !== 'violation')) return
    const { id, outcome, detail } = event.result
    const isFailure = (outcome === 'fail' || outcome === 'error') && !this.excused.has(id)
    if (!isFailure || this.failed.has(id)) return
    this.failed.add(id)
    return `${outcome === 'error' ? 'ERROR' : 'FAIL'}  ${id}: ${visible(detail)}`
  }

  take(event: RunEvent): void {
    this.wait = undefined
    if (event.kind === 'start') this.expected = event.requests ?? 0
    if (event.kind === 'request') this.sent = event.sent
    if (event.kind === 'load') {
      this.doing = visible(event.text)
      this.endMs = this.nowMs() + event.leftMs
    }
    if (event.kind === 'waiting') {
      this.wait = { untilMs: this.nowMs() + event.ms, why: event.why }
      // Only a wait delays the end; estimates become more exact.
      if (this.endMs !== undefined) this.endMs = Math.max(this.endMs, this.wait.untilMs)
    }
    if (event.kind === 'check') {
      this.doing = `${event.done + 1}/${event.all} ${event.id}`
      const { leftMs } = event
      this.isRealTime = leftMs !== undefined
      // A new estimate moves the end to an earlier time only.
      const endMs = this.endMs ?? Number.POSITIVE_INFINITY
      this.endMs = leftMs === undefined ? undefined : Math.min(endMs, this.nowMs() + leftMs)
    }
  }

  /** Milliseconds of the current wait, where it is one of real time. */
  waitMs(): number {
    return this.isRealTime ? Math.max(0, (this.wait?.untilMs ?? 0) - this.nowMs()) : 0
  }

  /** The most important part first. */
  line(): string {
    const waitMs = this.waitMs()
    const what =
      waitMs > 0
        ? `waiting ${wholeSeconds(waitMs)} s: ${visible(this.wait?.why ?? '')}`
        : this.doing
    const all = Math.max(this.expected, this.sent)
    const leftMs = (this.endMs ?? 0) - this.nowMs()
    const left = leftMs <= 0 ? '' : `about ${duration(leftMs)} left`
    const failed = this.failed.size === 0 ? '' : `${this.failed.size} failed`
    const requests = all === 0 ? '' : `${this.sent}/${all} requests`
    return [left, failed, what, requests].filter(Boolean).join(' · ')
  }
}

const wholeSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1_000))

/** `4 min 5 s` */
const duration = (ms: number): string => {
  const seconds = wholeSeconds(ms)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

const minRedrawMs = 100

/** Events as they happen, for a program: one JSON object per line. */
export const createEventLines = ({ write }: Pick<Screen, 'write'>): Progress => ({
  ...noProgress,
  event: (event) => {
    if (event.kind !== 'request') write(`${JSON.stringify(event)}\n`)
  },
})

const onTerminal = (screen: Screen, state: ProgressState, nowMs: () => number): Progress => {
  let drawnMs = Number.NEGATIVE_INFINITY
  let drawn = ''
  const draw = () => {
    drawnMs = nowMs()
    const line = cut(state.line(), screen.columns() - 2)
    // An unchanged line is not written again, so nothing flickers.
    if (line !== drawn) screen.write(`\r${line}\u001b[K`)
    drawn = line
  }
  const clear = () => {
    if (drawn !== '') screen.write('\r\u001b[K')
    drawn = ''
  }
  return {
    event: (event) => {
      const failure = state.failureIn(event)
      if (failure !== undefined) {
        clear()
        screen.write(`${cut(failure, Math.max(40, screen.columns() - 2))}\n`)
        draw()
      }
      state.take(event)
      if (event.kind === 'waiting' || nowMs() - drawnMs >= minRedrawMs) draw()
    },
    tick: () => {
      if (drawn !== '') draw()
    },
    clear,
  }
}

/** A log is kept short. */
const minLoggedWaitMs = 10_000
const minLogIntervalMs = 30_000
const maxLoggedLength = 200

const inLog = (screen: Screen, state: ProgressState, nowMs: () => number): Progress => {
  let loggedMs = nowMs()
  let hasWaited = false
  const log = () => {
    loggedMs = nowMs()
    screen.write(`petvet: ${state.line()}\n`)
  }
  const isDue = () => nowMs() - loggedMs >= minLogIntervalMs
  return {
    ...noProgress,
    event: (event) => {
      const failure = state.failureIn(event)
      if (failure !== undefined) screen.write(`${cut(failure, maxLoggedLength)}\n`)
      state.take(event)
      // Of a load only long waits are logged.
      if (event.kind === 'load') loggedMs = nowMs()
      const isLong = event.kind === 'waiting' && event.ms >= minLoggedWaitMs
      if (!isLong || state.waitMs() === 0 || (hasWaited && !isDue())) return
      hasWaited = true
      log()
    },
    tick: () => {
      if (state.doing !== '' && isDue()) log()
    },
  }
}
