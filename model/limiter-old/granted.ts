// What a key may be granted at most: in a span, in a window that the server declared, after a rest
// of two windows.

import { type Call, graceMs, mayBeBan, mayBePast, roundingMs, type Window } from './calls.ts'
import type { Breach, Law } from './laws.ts'

const seconds = (ms: number): string => `${Math.ceil(ms / 1000)} s`

/** A suspended machine, such as a virtual one, measures less time than has passed. */
const mayHaveSlept = (first: Call, last: Call, ms: number): boolean => {
  const [from, to] = [first.clocksMs.at(-1), last.clocksMs.at(-1)]
  return from !== undefined && to !== undefined && to - from >= ms
}

const tooMany = (
  first: Call,
  last: Call,
  ms: number,
  said: Pick<Breach, 'place' | 'expected' | 'actual'>,
): Breach => ({
  law: 'limit-not-late',
  ...said,
  sure: !mayHaveSlept(first, last, ms),
  calls: [first, last],
  wrong: { aspect: 'behaviour', kind: 'too many served' },
})

/** In less than one window no design grants more than two windows' worth. */
export const grantedInSpan: Law = ({ calls, windows, breach, tried }) => {
  const served = calls.filter((call) => call.served)
  for (const { name, limit, ms } of windows) {
    // Once the whole quota was sent within a window, the next call may be one too many.
    for (const call of calls.slice(limit)) {
      const first = calls[call.place - limit] as Call
      if (call.toMs - first.fromMs < ms) tried('limit-not-late', call)
    }
    let begin = 0
    for (const [at, last] of served.entries()) {
      const first = at - 2 * limit < begin ? undefined : served[at - 2 * limit]
      if (!first || last.latestMs - first.fromMs >= ms - graceMs) continue
      begin = at + 1
      const expected = `at most ${2 * limit} requests (2 x ${limit}) served in less than a ${name}`
      const actual = `${2 * limit + 1} served within ${seconds(last.latestMs - first.fromMs)}`
      breach(tooMany(first, last, ms, { place: 'span', expected, actual }))
    }
  }
}

/** Under one declared Reset no more than Limit are granted; a bucket's next token is no window. */
export const grantedDeclared: Law = ({ calls, breach }) => {
  const counted = calls.filter((call) => call.served && call.window)
  const groups = Map.groupBy(counted, (call) => `${call.window?.name} ${call.reset}`)
  for (const group of groups.values()) {
    const last = group.at(-1) as Call
    const { limit = 0, ms = 0 } = last.window ?? {}
    if (group.length <= limit) continue
    // A longer time with one Reset is no window: calls may have left the count meanwhile.
    const some = group.filter((call) => last.toMs - call.fromMs < ms)
    const [first = last] = some
    const isToken = last.fromMs - first.toMs <= roundingMs
    const max = limit + (isToken ? Math.floor(((last.latestMs - first.fromMs) * limit) / ms) : 0)
    if (some.length <= max) continue
    const expected = `at most ${max} requests served until Reset ${last.reset}`
    const actual = `${some.length} served`
    breach(tooMany(first, last, ms, { place: 'declared', expected, actual }))
  }
}

/** No zone has its midnight within a half hour of UTC that begins on the hour or at half past. */
const halfHourMs = 1_800_000

const halfHourOf = ({ clocksMs }: Call): string =>
  clocksMs.map((ms) => Math.floor(ms / halfHourMs)).join()

/** Whether the window in which a call begins may have ended at another, if none was announced. */
const mayHaveEnded = (first: Call, call: Call, name: Window['name']): boolean =>
  call !== first &&
  (name === 'minute' || call.clocksMs.length === 0 || halfHourOf(first) !== halfHourOf(call))

/** The calls after each rest of two windows, until the window that they began may have ended. */
const restedGroups = (calls: readonly Call[], { name, ms }: Window) => {
  const firsts = calls.filter((call) => call.silentMs >= 2 * ms)
  return firsts.map((first, at) => {
    let said: Call | undefined
    const group: Call[] = []
    for (const call of calls.slice(first.place, firsts[at + 1]?.place)) {
      const isOver = said ? mayBePast(said, call) : mayHaveEnded(first, call, name)
      if (isOver || mayBeBan(call)) break
      if (call.refused) continue
      if (call.window?.name === name) said ??= call
      group.push(call)
    }
    return { first, said, group }
  })
}

type Rested = ReturnType<typeof restedGroups>[number]

/** A window's number, and while Reset moves floor(D N / W) more, which a bucket gives back. */
const maxRested = ({ first, said }: Rested, call: Call, { name, limit, ms }: Window): number => {
  const isSame = call.window?.name === name && said?.reset === call.reset
  // A bucket may state when its next tokens come, and twice the same second.
  const isFar = said?.clocksMs.some((at) => said.reset * 1000 - at > ms / 10 + roundingMs)
  if (isSame && isFar && call.fromMs - said.toMs > roundingMs) return limit
  return limit + Math.floor(((call.latestMs - first.fromMs) * limit) / ms)
}

/** After two windows of silence, until the first announced Reset. */
export const grantedRested: Law = ({ calls, windows, breach, tried }) => {
  for (const window of windows) {
    const { name, limit, ms } = window
    for (const rested of restedGroups(calls, window)) {
      const { first, said, group } = rested
      const served = group.filter((call) => call.served)
      for (const call of group.slice(limit)) tried('limit-not-late', call)
      const over = served.find((call, at) => at + 1 > maxRested(rested, call, window))
      if (!over) continue
      const max = maxRested(rested, over, window)
      const expected = `at most ${max} requests served in a ${name} after a rest`
      const actual = `${served.length} served`
      const found = tooMany(first, over, ms, { place: `rested ${name}`, expected, actual })
      // A window that another client's call began may have ended before it was announced: its calls
      // would show.
      breach({ ...found, sure: said === first && found.sure === true, unseen: found.sure === true })
    }
  }
}
