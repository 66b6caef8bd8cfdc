// When `GET /pets/{petId}` is removed, and whether it may be gone at a response.

import type { AnsweredExchange } from '../history/exchange.ts'
import { dateMs } from '../history/rate-headers.ts'

/** The day on which `GET /pets/{petId}` is removed: its start and its end. */
export const removalDay = { firstMs: Date.UTC(2030, 11, 5), lastMs: Date.UTC(2030, 11, 6) }

/** Whether the deprecated operation may be gone, by the target's own clock. */
export const isPastRemoval = (exchange: AnsweredExchange): boolean => {
  const date = dateMs(exchange)
  // Without a reliable Date, a test clock that was moved may show any time.
  return date === undefined ? exchange.movedMs > 0 : date >= removalDay.firstMs
}
