// The progress of a run: one line on a terminal, written over itself; elsewhere nothing.
import { visible } from '../reports/visible.ts'
import type { RunEvent } from '../suites/kit/run-options.ts'

export interface Screen {
  readonly write: (text: string) => void
  readonly isTerminal: boolean
  readonly columns: () => number
}

export interface Progress {
  readonly event: (event: RunEvent) => void
  /** Takes the line away. */
  readonly clear: () => void
}

const betweenMs = 100

/** @param nowMs a clock that never steps back */
export const createProgress = (screen: Screen, nowMs: () => number): Progress => {
  const state = {
    doing: '',
    isWaiting: false,
    sent: 0,
    expected: 0,
    startMs: nowMs(),
    drawnMs: Number.NEGATIVE_INFINITY,
  }
  let isDrawn = false

  const clear = () => {
    if (isDrawn) screen.write('\r\u001b[K')
    isDrawn = false
  }

  const draw = () => {
    const now = nowMs()
    if (!screen.isTerminal || now - state.drawnMs < betweenMs) return
    state.drawnMs = now
    const requests = `${state.sent}/${Math.max(state.expected, state.sent)} requests`
    const line = [state.doing, requests, leftOf(now - state.startMs)].filter(Boolean).join(' · ')
    screen.write(`\r${line.slice(0, Math.max(0, screen.columns() - 1))}\u001b[K`)
    isDrawn = true
  }

  /** As long again for each request to come as for each one sent; a wait says its own time. */
  const leftOf = (elapsedMs: number): string => {
    if (state.isWaiting || state.sent === 0 || state.sent >= state.expected) return ''
    const leftMs = (elapsedMs / state.sent) * (state.expected - state.sent)
    return `about ${Math.ceil(leftMs / 1_000)} s left`
  }

  const event = (happened: RunEvent) => {
    state.isWaiting = happened.kind === 'waiting'
    if (happened.kind === 'start') state.expected = happened.requests
    if (happened.kind === 'check') {
      state.doing = `${happened.done + 1}/${happened.all} ${happened.id}`
    }
    if (happened.kind === 'waiting') {
      const seconds = Math.ceil(happened.ms / 1_000)
      state.doing = `waiting ${seconds} s: ${visible(happened.why)}`
      state.drawnMs = Number.NEGATIVE_INFINITY
    }
    if (happened.kind === 'request') state.sent = happened.sent
    draw()
  }
  return { event, clear }
}

export const noProgress: Progress = { event: () => {}, clear: () => {} }
