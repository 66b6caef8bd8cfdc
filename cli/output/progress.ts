// The progress of a run: one line on a terminal, redrawn in place; elsewhere a line now and then.
import type { RunEvent } from '../../engine/run/run-options.ts'
import { duration } from '../../history/quote.ts'
import { cut, visible } from '../../reports/visible.ts'

/** Standard error, which nobody reads as a result. */
const standardError = {
  write: (text: string): void => {
    process.stderr.write(text)
  },
  // Whether a line can be redrawn: a dumb one cannot take it back.
  isTerminal: process.stderr.isTTY === true && process.env.TERM !== 'dumb',
  // A terminal of unknown width says 0.
  columns: () => process.stderr.columns || 80,
}

/** A line on standard error, where nobody reads it as a result. */
export const say = (line: string, { quiet = false } = {}): void => {
  if (!quiet) process.stderr.write(`petvet: ${line}\n`)
}

/** A longer line is harder to read. */
const maxColumns = 100

/** Null where standard output is no terminal: piped lines are not wrapped. */
export const readingColumns = (): number | null =>
  process.stdout.isTTY ? Math.min(process.stdout.columns || 80, maxColumns) : null

export const numbers = ([least = 0, most = 0]: readonly number[]): string =>
  least === most ? `${least}` : `${least}–${most}`

/** `7–9 min`; null: a clock is moved instead of waiting. */
export const minutes = (rangeMs: readonly number[] | null): string => {
  if (rangeMs === null || Math.max(...rangeMs) < 10_000) return 'seconds'
  return `${numbers(rangeMs.map((ms) => Math.max(1, Math.round(ms / 60_000))))} min`
}

/** What the last events said, as parts of a line. */
class ProgressState {
  doing = ''
  private sent = 0
  private expected = 0
  private wait: { readonly untilMs: number; readonly why: string } | undefined
  /** About when the run ends, as it was estimated last; undefined where nothing is waited for. */
  private endMs: number | undefined
  /**
   * The time left that was shown last. It never grows: while a wait that was not foreseen holds the
   * run up, none is shown, so no minute is announced twice.
   */
  private shownLeftMs = Number.POSITIVE_INFINITY
  failed = 0

  take(event: RunEvent, nowMs: number): void {
    this.wait = undefined
    if (event.kind === 'start') this.expected = event.requests ?? 0
    if (event.kind === 'request') this.sent = event.sent
    if (event.kind === 'load') {
      this.doing = visible(event.text)
      this.endMs = nowMs + event.leftMs
    }
    if (event.kind === 'waiting') {
      this.wait = { untilMs: nowMs + event.ms, why: event.why }
      if (this.endMs !== undefined) this.endMs = Math.max(this.endMs, this.wait.untilMs)
    }
    if (event.kind === 'check') {
      this.doing = `${event.done + 1}/${event.all} ${event.id}`
      this.endMs = event.leftMs === undefined ? undefined : nowMs + event.leftMs
    }
  }

  /** The most important part first. */
  line(nowMs: number): string {
    const waitMs = (this.wait?.untilMs ?? 0) - nowMs
    const what =
      waitMs > 0 ? `waiting ${timeLeft(waitMs)} ${visible(this.wait?.why ?? '')}` : this.doing
    const leftMs = (this.endMs ?? 0) - nowMs
    const isShown = leftMs > 0 && leftMs <= this.shownLeftMs
    if (isShown) this.shownLeftMs = leftMs
    const left = isShown ? `about ${timeLeft(leftMs)} left` : ''
    const failed = this.failed === 0 ? '' : `${this.failed} failed`
    // Where no number was forecast, or it was too low, a share would say nothing.
    const share = this.sent > this.expected ? '' : `/${this.expected}`
    const requests = this.sent + this.expected === 0 ? '' : `${this.sent}${share} requests`
    return [left, failed, what, requests].filter(Boolean).join(' · ')
  }
}

/** In whole seconds while it is short. */
const timeLeft = (ms: number): string => duration(1_000 * Math.max(1, Math.ceil(ms / 1_000)))

const minRedrawMs = 100
/** A log is kept short. */
const minLogIntervalMs = 30_000
const maxLoggedLength = 200

/**
 * @param excused checks whose failure is known; undefined: failures are not printed
 * @param nowMs a clock that never steps back
 */
export const createProgress = (
  { quiet = false },
  excused?: ReadonlySet<string>,
  screen = standardError,
  nowMs = () => performance.now(),
) => {
  const { isTerminal, columns } = screen
  const write = quiet ? () => {} : screen.write
  const state = new ProgressState()
  const printed = new Set(excused)
  let shownMs = isTerminal ? Number.NEGATIVE_INFINITY : nowMs()
  let drawn = ''
  const isDue = (ms: number) => nowMs() - shownMs >= ms
  const clear = () => {
    if (drawn !== '') write('\r\u001b[K')
    drawn = ''
  }
  const show = () => {
    shownMs = nowMs()
    if (!isTerminal) return write(`petvet: ${state.line(nowMs())}\n`)
    const line = cut(state.line(nowMs()), columns() - 2)
    // An unchanged line is not written again, so nothing flickers.
    if (line !== drawn) write(`\r${line}\u001b[K`)
    drawn = line
  }
  const showFailure = (event: RunEvent) => {
    if (!excused || (event.kind !== 'result' && event.kind !== 'violation')) return
    const { id, outcome, detail } = event.result
    if ((outcome !== 'fail' && outcome !== 'error') || printed.has(id)) return
    printed.add(id)
    clear()
    const headline = `${outcome.toUpperCase().padEnd(4)}  ${id}: ${visible(detail)}`
    const width = isTerminal ? Math.max(40, columns() - 2) : maxLoggedLength
    write(`${cut(headline, width)}\n`)
    state.failed += 1
    if (isTerminal) show()
  }
  return {
    event: (event: RunEvent): void => {
      showFailure(event)
      state.take(event, nowMs())
      const isNews = event.kind === 'waiting' && (isTerminal || event.isLogged)
      if (isNews || (isTerminal && isDue(minRedrawMs))) show()
    },
    /** Called about each second: redraws the line where nothing happens. */
    tick: (): void => {
      if (isTerminal ? drawn !== '' : state.doing !== '' && isDue(minLogIntervalMs)) show()
    },
    /** Removes the line. */
    clear,
  }
}
