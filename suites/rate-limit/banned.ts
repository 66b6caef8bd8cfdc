// What looks like a ban.
import { readBody } from '../../history/body.ts'
import { type AnsweredExchange, headerValues } from '../../history/exchange.ts'
import { isObject } from '../../history/json.ts'
import { isRefused, isShutOut, readWaitMs, toMs } from '../../history/rate-headers.ts'

/**
 * A wait that ends this much later than the one before is not that of the window. If the earlier
 * waits all ended at the same time, a smaller difference is enough.
 */
const laterMs = { any: 5_000, steady: 2_000 }
const steady = { refusals: 3, withinMs: 1_500 }

/** When the wait of a refusal ends, in ms; accepts fractions of a second. */
const endMs = (response: AnsweredExchange): number | undefined => {
  const ms = readWaitMs(response)
  if (ms !== undefined) return toMs(response) + ms
  const [value = '', ...more] = headerValues(response, 'retry-after')
  const isFraction = more.length === 0 && /^\d{1,15}\.\d{1,15}$/.test(value)
  return isFraction ? toMs(response) + Number(value) * 1000 : undefined
}

const endsLater = (earlier: readonly AnsweredExchange[], response: AnsweredExchange): boolean => {
  const ends = earlier.map(endMs)
  const [before, after] = [ends.at(-1), endMs(response)]
  if (before === undefined || after === undefined) return before !== undefined
  // Many limiters state the length of the window each time.
  const last = earlier.at(-1)
  if (last && after - toMs(response) <= before - toMs(last)) return false
  const known = ends.filter((end) => end !== undefined)
  const isSteady =
    known.length >= steady.refusals && Math.max(...known) - Math.min(...known) <= steady.withinMs
  return after > before + (isSteady ? laterMs.steady : laterMs.any)
}

const codeOf = (response: AnsweredExchange): string | undefined => {
  const body = readBody(response)
  const code = 'value' in body && isObject(body.value) ? body.value.code : undefined
  return typeof code === 'string' ? code : undefined
}

/** Whether the earlier refusals had one code, and this one has another. */
const hasNewCode = (earlier: readonly AnsweredExchange[], response: AnsweredExchange): boolean => {
  const codes = new Set(earlier.map(codeOf))
  const code = codeOf(response)
  return earlier.length > 1 && codes.size === 1 && code !== undefined && !codes.has(code)
}

/**
 * Whether a response looks like a ban, given earlier responses to the key. Its wait is compared
 * with that of the response before it: if each refusal restarts the window, or counts as a call,
 * the wait ends a little later each time without any ban.
 */
export const looksBanned = (earlier: readonly AnsweredExchange[], response: AnsweredExchange) => {
  if (!isShutOut(response)) return false
  if (!isRefused(response)) return true
  const refused = earlier.filter(isRefused)
  return endsLater(refused, response) || hasNewCode(refused, response)
}
