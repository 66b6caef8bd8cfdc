// The rate limiter as the recorded responses show it: calls over time, and the refused ones.

import { duration } from '../../engine/check/quote.ts'
import type { RecordedExchange } from '../../engine/http/recorder.ts'
import { dateMs, retryAfterMs } from '../../engine/quota/rate-headers.ts'
import { callsFigure, numbersTable } from './chart.ts'
import { grouped, html, type Markup } from './markup.ts'

/** A response to a key, and when it came, in Unix milliseconds of the target's clock. */
interface KeyResponse {
  readonly key: string
  readonly atMs: number
  readonly status: number
  readonly retryAfterMs: number | null
}

const maxResponses = 200_000

export const limiter = (exchanges: Iterable<RecordedExchange>): Markup | false => {
  const responses: KeyResponse[] = []
  let leftOut = 0
  for (const recorded of exchanges) {
    const { at, ms, key, response } = recorded
    const atMs = dateMs(recorded) ?? Date.parse(at) + ms
    if (key === null || response === null) continue
    const { status } = response
    if (responses.length === maxResponses) leftOut += 1
    else responses.push({ key, atMs, status, retryAfterMs: retryAfterMs(recorded) ?? null })
  }
  if (responses.length === 0) return false
  return html`<section id="limiter"><h2>The rate limiter</h2>
<p class="intro">This section shows every recorded response to a request with a key. Times are the
target's: where its test clock was moved, a minute took milliseconds.</p>
${leftOut > 0 && html`<p class="left-out">${grouped(leftOut)} later responses are left out.</p>`}
${calls(responses)}${refusals(responses)}</section>`
}

const dateTime = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')

const fateOf = ({ status }: KeyResponse) => {
  if (status === 429) return 'refused'
  return status < 500 ? 'served' : 'other'
}

/** The date is shown where a run took, or moved the clock over, more than one day. */
const calls = (responses: readonly KeyResponse[]): Markup => {
  const areOfOneDay = new Set(responses.map(({ atMs }) => dateTime(atMs).slice(0, 10))).size <= 1
  return callsFigure({
    title: (unit) => `Calls per ${unit}, all keys`,
    note: 'Time without calls is left out. At a high bar a check spent a whole quota at once.',
    calls: responses.map((each) => ({ second: Math.floor(each.atMs / 1_000), [fateOf(each)]: 1 })),
    print: (second) => dateTime(second * 1_000).slice(areOfOneDay ? 11 : 0),
  })
}

/** Retry-After: how long each refusal asked the client to wait, and what followed. */
const refusals = (responses: readonly KeyResponse[]): Markup => {
  const rows = [...Map.groupBy(responses, ({ key }) => key).values()].flatMap((own) =>
    own.flatMap((response, at) => {
      const { key, atMs, status, retryAfterMs: waitMs } = response
      if (fateOf(response) !== 'refused') return []
      const next = own.slice(at + 1).find((each) => each.atMs >= atMs + (waitMs ?? 0))
      const followed = next
        ? `${next.status}, ${duration(next.atMs - atMs)} after the refusal`
        : 'none'
      const wait = waitMs === null ? 'none' : duration(waitMs)
      return [[key, dateTime(atMs), String(status), wait, followed]]
    }),
  )
  if (rows.length === 0) return html`<p class="quiet">No call with a key was refused.</p>`
  const title = `${grouped(rows.length)} refused calls, and the wait that each stated`
  const headings = [
    'Key',
    'Refused at (UTC)',
    'Status',
    'Retry-After',
    'First call after that wait',
  ]
  return numbersTable(title, headings, rows)
}
