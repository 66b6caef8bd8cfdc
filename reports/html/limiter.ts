// The rate limiter as the recorded responses show it: calls over time, windows, refusals.
import { barLengthS, barsFigure, duration, numbersTable } from './chart.ts'
import { grouped, html, type Markup } from './markup.ts'
import type { Fate, KeyResponse, RateFacts } from './rate-facts.ts'

export const limiter = (facts: RateFacts): Markup | false => {
  if (facts.responses.size === 0) return false
  return html`<section id="limiter"><h2>The rate limiter</h2>
<p class="intro">This section shows every recorded response to a request with a key. Times are the
target's: where its test clock was moved, a minute took milliseconds.</p>
${
  facts.leftOut > 0 &&
  html`<p class="left-out">${grouped(facts.leftOut)} later responses are left out.</p>`
}
${calls(facts)}${windows(facts)}${refusals(facts)}</section>`
}

const dateTime = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
const clockTime = (ms: number): string => dateTime(ms).slice(11)

/** The date as well where a run took, or moved the clock over, more than one day. */
const timeIn = (all: readonly KeyResponse[]): ((ms: number) => string) =>
  new Set(all.map(({ atMs }) => dateTime(atMs).slice(0, 10))).size > 1 ? dateTime : clockTime

const calls = ({ responses }: RateFacts): Markup => {
  const all = [...responses.values()].flat()
  const lengthS = barLengthS(all.map(({ atMs }) => atMs / 1_000))
  const counts = new Map<number, Record<Fate, number>>()
  for (const { atMs, fate } of all) {
    const start = Math.floor(atMs / 1_000 / lengthS) * lengthS
    const own = counts.get(start) ?? { served: 0, refused: 0, banned: 0, other: 0 }
    own[fate] += 1
    counts.set(start, own)
  }
  const unit = lengthS === 1 ? 'second' : duration(lengthS * 1_000)
  return barsFigure({
    title: `Calls per ${unit}, all keys`,
    note:
      `Each bar is one ${unit} in which calls with a key were sent; time without calls is left ` +
      'out. At a high bar a check spent a whole quota at once.',
    bars: [...counts]
      .sort(([a], [b]) => a - b)
      .map(([start, own]) => ({ ...own, atMs: start * 1_000 })),
    print: timeIn(all),
  })
}

type WithLimit = KeyResponse & {
  readonly limit: number
  readonly remaining: number
  readonly resetS: number
}

const hasLimit = (response: KeyResponse): response is WithLimit => response.limit !== null
const isRefused = ({ fate }: KeyResponse): boolean => fate === 'refused' || fate === 'banned'

/** One row for each window that the responses to a key declared. */
const windows = ({ responses }: RateFacts): Markup | false => {
  const print = timeIn([...responses.values()].flat())
  const rows = [...responses].flatMap(([key, own]) => {
    const declared = own.filter(hasLimit).toSorted((a, b) => a.atMs - b.atMs)
    const byWindow = Map.groupBy(declared, ({ limit, resetS }) => `${limit} ${resetS}`)
    return [...byWindow.values()].flatMap((all) => {
      const [first, last] = [all[0], all.at(-1)]
      if (!first || !last) return []
      const refused = all.filter(isRefused).length
      return [
        [
          ...[key, first.limit, dateTime(first.resetS * 1_000), print(first.atMs)],
          ...[print(last.atMs), all.length - refused, refused, first.remaining, last.remaining],
        ],
      ]
    })
  })
  const headings = [
    ...['Key', 'Limit', 'Reset at (UTC)', 'First response', 'Last response'],
    ...['Served', 'Refused', 'Remaining, first', 'Remaining, last'],
  ]
  const number = `${grouped(rows.length)} ${rows.length === 1 ? 'window' : 'windows'}`
  const title = `${number} that the headers declared`
  return rows.length > 0 && numbersTable(title, headings, rows)
}

const asBansDo =
  'although nothing was served in between, as a ban does, or a limiter that counts refused calls'

/** Retry-After: how long each refusal asked the client to wait, and what followed. */
const refusals = ({ responses }: RateFacts): Markup => {
  const all = [...responses]
    .flatMap(([key, own]) =>
      own.flatMap((response, at) =>
        isRefused(response) ? [{ key, response, later: own.slice(at + 1) }] : [],
      ),
    )
    .toSorted((a, b) => a.response.atMs - b.response.atMs)
  if (all.length === 0) {
    return html`<p class="quiet">No call with a key was refused.</p>`
  }
  const bans = all.filter(({ response }) => response.fate === 'banned').length
  const rows = all.map(({ key, response, later }) => {
    const { atMs, status, retryAfterMs, resetS } = response
    const next = later.find((each) => each.atMs >= atMs + (retryAfterMs ?? 0))
    return [
      ...[key, dateTime(atMs), String(status)],
      retryAfterMs === null ? 'none' : duration(retryAfterMs),
      resetS === null ? 'none' : duration(resetS * 1_000 - atMs),
      next ? `${next.status}, after ${duration(next.atMs - atMs)}` : 'none',
    ]
  })
  const title = `${grouped(all.length)} refused calls, and the wait that each stated`
  const headings = ['Key', 'Refused at (UTC)', 'Status', 'Retry-After', 'Until Reset', 'Next call']
  return html`${numbersTable(title, headings, rows)}
${bans > 0 && html`<p class="quiet">${bans} of them extended the stated wait ${asBansDo}.</p>`}`
}
