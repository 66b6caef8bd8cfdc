// The wait that a refusal states in Retry-After.
import { type Exchange, headerValues } from '../../engine/check/exchange.ts'
import { formOf } from '../../engine/check/value-kinds.ts'
import { dateMs } from '../../engine/quota/rate-headers.ts'
import { parseHttpDate } from '../pets/responses.ts'

const obsoleteDates = [
  /^[A-Z][a-z]+day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
]

/** An HTTP-date in any of the three forms that a recipient has to accept (RFC 9110, 5.6.7). */
const httpDateMs = (text: string): number | undefined => {
  const usual = parseHttpDate(text)
  if (usual !== undefined || !obsoleteDates.some((form) => form.test(text))) return usual
  const ms = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(ms) ? undefined : ms
}

type Wait =
  | { readonly form: 'delta-seconds' | 'HTTP-date'; readonly ms: number }
  | { readonly fault: string }

/** The wait that a response states, from when it was sent. */
export const waitOf = (exchange: Exchange): Wait => {
  const values = headerValues(exchange, 'retry-after')
  const [value = ''] = values
  if (values.length === 0) return { fault: 'no Retry-After' }
  const shown = `Retry-After: ${values.join(', ')}`
  if (values.length > 1) return { fault: shown }
  if (/^\d{1,15}$/.test(value)) return { form: 'delta-seconds', ms: Number(value) * 1000 }
  const until = httpDateMs(value)
  const now = dateMs(exchange)
  if (until === undefined || now === undefined) return { fault: shown }
  return { form: 'HTTP-date', ms: until - now }
}

/** The same in milliseconds; undefined if it is not well-formed. */
export const waitMsOf = (exchange: Exchange): number | undefined => {
  const wait = waitOf(exchange)
  return 'ms' in wait ? wait.ms : undefined
}

/** What is wrong with a stated wait: its form, or that it is not in the future. */
export const waitFault = (exchange: Exchange): string | undefined => {
  const wait = waitOf(exchange)
  if ('fault' in wait) return wait.fault
  return wait.ms > 0 ? undefined : `${wait.ms / 1000} s by ${wait.form}`
}

/** In which way a stated wait is wrong: `missing`, `with decimals`, `not in the future`. */
export const kindOfWait = (exchange: Exchange): string => {
  const values = headerValues(exchange, 'retry-after')
  if (values.length === 0) return 'missing'
  if (values.length > 1) return 'given twice'
  return 'ms' in waitOf(exchange) ? 'not in the future' : formOf(values[0] ?? '')
}
