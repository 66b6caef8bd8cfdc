// What an answer says of the day of its key, taken in beside the calls that were noted.
import type { Quota } from '../../../spec/plans.ts'
import type { Exchange } from '../exchange.ts'
import { statusOf } from '../exchange.ts'
import { dayMs, daySaid } from '../quota/key-minute.ts'
import { dateMs } from '../quota/rate-headers.ts'
import { callsSince, explains, type Page } from './notebook-page.ts'

/** Dates are whole seconds, and that of a cache may be off by some. */
export const dayGraceMs = 3_000

/** When an answer came, by our own clock on the wall. */
export const heardMs = ({ at, sentMs, receivedMs }: Exchange): number =>
  Date.parse(at) + Math.ceil(receivedMs - sentMs)

/** A day may be told to end so far ahead (ruling 15), and what tells more is not believed. */
export const aheadMostMs = 2 * dayMs + 600_000

/** When the day ends of which an answer speaks, by our own clock; its Date tells ours from its. */
export const dayEndsMs = (exchange: Exchange, quota: Quota): number | undefined => {
  const said = daySaid(exchange, quota)
  if (!said || dateMs(exchange) === undefined || said.resetInMs > aheadMostMs) return undefined
  return heardMs(exchange) + Math.round(said.resetInMs)
}

/** @param page in which the call itself is noted already */
export const hearDay = (page: Page, exchange: Exchange, quota: Quota): void => {
  const said = daySaid(exchange, quota)
  const endsMs = dayEndsMs(exchange, quota)
  if (!said || endsMs === undefined || ![200, 201].includes(statusOf(exchange))) return
  const { reset, remaining } = said
  const atMs = heardMs(exchange)
  const before = page.said?.reset === reset ? page.said : undefined
  const calls = callsSince(page, endsMs - dayMs - dayGraceMs)
  const isOurs = explains(calls, quota.perDay - remaining)
  // A day that slides gives calls back before its Reset, unless its Reset is that of the oldest
  // call; then, as in a fixed one, all calls of 24 hours explain what is spent. Near its end one
  // may have come back under the same whole second.
  const isBound = before !== undefined && atMs < endsMs - dayGraceMs
  const isKept = isBound && (before.isOurs || before.mayServe < 0)
  const mayServe = isKept ? Math.min(before.mayServe - 1, remaining) : remaining
  page.said = { atMs, reset, endsMs, remaining, servedSince: 0, mayServe, isOurs }
}
