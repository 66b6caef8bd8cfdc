// The progress of a run: one line on a terminal, redrawn in place; elsewhere a line now and then.
import type { RunEvent } from '../../engine/run/run-options.ts'
import type { addedByFaults } from '../../engine/run/time-left.ts'
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

export const numbers = ([least = 0, most = least]: readonly number[]): string =>
  least === most ? `${least}` : `${least}–${most}`

/** `7–9 min`; null: a clock is moved instead of waiting. */
export const minutes = (rangeMs: readonly number[] | null): string => {
  if (rangeMs === null || Math.max(...rangeMs) < 10_000) return 'seconds'
  return `${numbers(rangeMs.map((ms) => Math.max(1, Math.round(ms / 60_000))))} min`
}

/** `faults add up to 1 min, those of its limits 5 min, as they are confirmed` */
export const describeAdded = ({ reducedMs, againMs }: ReturnType<typeof addedByFaults>): string => {
  const ofLimits = againMs === 0 ? '' : `, and those of its limits ${minutes([againMs])} more`
  return `faults add up to ${minutes([reducedMs])}${ofLimits}, as they are confirmed`
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
  /** When the run ends, as announced or shown last. */
  private announcedMs = Number.POSITIVE_INFINITY
  /** Whether that was too early by far, which is said. */
  private isLonger = false
  failed = 0

  take(event: RunEvent, nowMs: number): void {
    this.wait = undefined
    if (event.kind === 'start') {
      this.expected = event.requests ?? 0
      this.announcedMs = nowMs + (event.leftMs ?? Number.POSITIVE_INFINITY)
    }
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
      const again = event.isAgain ? ' again, as a law of the limits is in doubt' : ''
      this.doing = `${event.done + 1}/${event.all} ${event.id}${again}`
      this.endMs = event.leftMs === undefined ? undefined : nowMs + event.leftMs
      this.announceAgain(event.leftMs ?? 0, nowMs)
    }
  }

  /** A run that lasts longer by far than was said says so. */
  private announceAgain(leftMs: number, nowMs: number): void {
    const lateMs = nowMs + leftMs - this.announcedMs
    this.isLonger = lateMs > Math.max(minLateMs, minLateShare * leftMs)
    if (this.isLonger) this.shownLeftMs = Number.POSITIVE_INFINITY
  }

  /** The most important part first. */
  line(nowMs: number): string {
    const waitMs = (this.wait?.untilMs ?? 0) - nowMs
    const what =
      waitMs > 0 ? `waiting ${timeLeft(waitMs)} ${visible(this.wait?.why ?? '')}` : this.doing
    const leftMs = (this.endMs ?? 0) - nowMs
    const isShown = leftMs > 0 && leftMs <= this.shownLeftMs
    const longer = this.isLonger ? ', more than announced' : ''
    const left = isShown ? `about ${timeLeft(leftMs)} left${longer}` : ''
    if (isShown) {
      this.shownLeftMs = leftMs
      this.announcedMs = nowMs + leftMs
    }
    const failed = this.failed === 0 ? '' : `${this.failed} failed`
    // Where no number was forecast, or it was too low, a share would say nothing.
    const share = this.sent > this.expected ? '' : `/${this.expected}`
    const requests = this.sent + this.expected === 0 ? '' : `${this.sent}${share} requests`
    return [left, failed, what, requests].filter(Boolean).join(' · ')
  }
}

/** In whole seconds while it is short. */
const timeLeft = (ms: number): string => duration(1_000 * Math.max(1, Math.ceil(ms / 1_000)))

/** What is later by more, and by more than this share of what is left, is announced anew. */
const minLateMs = 60_000
const minLateShare = 0.25

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
      const isNews =
        (event.kind === 'waiting' && (isTerminal || event.isLogged)) ||
        (event.kind === 'check' && event.isAgain)
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
