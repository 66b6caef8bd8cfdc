// A log of the last minute's calls that keeps refused ones as well: who goes on calling, waits on.
import type { Quota } from '../../spec/plans.ts'
import { clockWindow, type Limiter, type Meter, minuteMs } from '../limiter.ts'

interface Book {
  /** When the last calls came; more than a minute's number of them change nothing. */
  log: number[]
  readonly day: Meter
}

export const loggingRefusals = (): Limiter => {
  const books = new Map<string, Book>()
  const bookOf = (key: string, quota: Quota): Book => {
    const book = books.get(key) ?? { log: [], day: clockWindow(quota.perDay, 24 * 60 * minuteMs) }
    books.set(key, book)
    return book
  }
  return {
    take: (key, quota, nowMs) => {
      const book = bookOf(key, quota)
      const recent = book.log.filter((atMs) => atMs + minuteMs > nowMs)
      const dayAtMs = book.day.look(nowMs).nextAtMs
      const granted = recent.length < quota.perMinute && dayAtMs <= nowMs
      book.log = [...recent, nowMs].slice(-quota.perMinute)
      if (granted) book.day.count(nowMs)
      const left = quota.perMinute - book.log.length
      const ofDay = book.day.look(nowMs)
      const oldestMs = book.log[0] ?? nowMs
      const decision =
        ofDay.remaining <= left
          ? { limit: quota.perDay, remaining: ofDay.remaining, resetAtMs: ofDay.resetAtMs }
          : { limit: quota.perMinute, remaining: left, resetAtMs: nowMs + minuteMs }
      if (granted) return { granted, ...decision }
      const minuteAtMs = left > 0 ? nowMs : oldestMs + minuteMs
      return { granted, ...decision, retryAfterMs: Math.max(dayAtMs, minuteAtMs) - nowMs }
    },
  }
}
