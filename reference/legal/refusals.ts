// Legal refusals beyond the quota: their Retry-After, body and delay.

import { type ApiResponse, type Refusal, refuse, splitTarget } from '../message.ts'
import { legal, type Parts, perServer, replacing, together } from '../variant.ts'
import { delayedBy, everyResponse, onStatus, readQuery, without } from '../wrappers/middleware.ts'
import { waiting, waitingUntil } from '../wrappers/rate-limiting.ts'

/** Such as `Sun Nov  6 08:49:37 1994`. */
const asctime = (date: Date): string => {
  const [weekday = '', day = '', month = '', year = '', time = ''] = date.toUTCString().split(' ')
  return `${weekday.slice(0, 3)} ${month} ${String(Number(day)).padStart(2)} ${time} ${year}`
}

/** Without its Retry-After: another refusal than one for the quota. */
const refusedAs = (refusal: ApiResponse, reading: object, { error }: Parts): ApiResponse => {
  if (!('refusal' in reading)) return refusal
  const { status, code, message } = reading.refusal as Refusal
  const { headers } = without('Retry-After')(refusal)
  return { ...error(status, code, message), headers }
}

const whenRefused = ({ status }: ApiResponse) => (status === 429 ? 120 : undefined)

export const refusalVariants = [
  ...legal(['quota-free', 'limit-not-late', 'limit-not-early', 'remaining-falls-by-one'], {
    'refusal-of-the-invalid-as-such': [
      'Beyond the limit invalid requests and unknown ids get 400 and 404, and nothing remains.',
      onStatus(429, (refusal, request, parts) => {
        const route = parts.findRoute(request.method, splitTarget(request.target).path)
        const { operation } = route
        if (operation === 'createPet') return refusedAs(refusal, parts.readNewPet(request), parts)
        if (operation === 'listPets') {
          return refusedAs(refusal, parts.readLimit(readQuery(request).getAll('limit')), parts)
        }
        const id = parts.readPetId(operation ? route.petId : '')
        if ('refusal' in id || parts.store.get(id.value)) return refusedAs(refusal, id, parts)
        return refusedAs(refusal, refuse(404, 'not_found', 'There is no such pet.'), parts)
      }),
    ],
    'answers-late-by-chance': [
      'Responses take up to 30 ms, and overtake each other.',
      delayedBy(() => {
        let responses = 0
        // It looks random: mostly 1 ms, otherwise up to 29 ms.
        return () => (++responses % 4 === 0 ? (responses * 17) % 30 : 1)
      }),
    ],
  }),
  ...legal(['retry-after-present', 'retry-after-each-served', 'retry-after-form'], {
    'retry-after-jittered': [
      'Retry-After is jittered by some seconds.',
      perServer(() => {
        let refusals = 0
        return waiting((waitMs) => String(Math.ceil(waitMs / 1000) + 1 + ((refusals++ * 7) % 11)))
      }),
    ],
    'retry-after-full-minute': [
      'Retry-After is never less than a minute.',
      waiting((waitMs) => String(Math.max(60, Math.ceil(waitMs / 1000)))),
    ],
    'retry-after-with-zeros': [
      'Retry-After has leading zeros.',
      replacing('retryAfter', ({ retryAfter }, ...wait) => retryAfter(...wait).padStart(5, '0')),
    ],
    'retry-after-date-of-rfc-850': [
      'Retry-After is an HTTP-date in the obsolete RFC 850 form, which recipients must accept.',
      waitingUntil(0, (date: Date): string => {
        const [, day = '', month = '', year = '', time = ''] = date.toUTCString().split(' ')
        const weekday = date.toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' })
        return `${weekday}, ${day}-${month}-${year.slice(2)} ${time} GMT`
      }),
    ],
    'answers-all-with-retry-after': [
      'Every response has Retry-After: the seconds until Reset.',
      everyResponse((response, _request, { clock }) => {
        const resetMs = Number(response.headers['X-RateLimit-Reset']) * 1000
        const seconds = String(Math.max(1, Math.ceil((resetMs - clock.now()) / 1000)))
        return { ...response, headers: { 'Retry-After': seconds, ...response.headers } }
      }),
    ],
  }),
  ...legal(['retry-after-present', 'retry-after-form'], {
    'retry-after-date-of-asctime-without-date': [
      'Retry-After is an HTTP-date in the obsolete asctime form, and no Date shows the time.',
      together(waitingUntil(0, asctime), everyResponse(without('Date'))),
      { warns: ['date-present'] },
    ],
  }),
  ...legal(['refusal-body', 'error-shape', 'body-strict-json'], {
    'refusal-body-of-one-word': [
      'The body of a refusal is a JSON string.',
      onStatus(429, (response) => ({ ...response, body: '"slow down"' })),
    ],
  }),
  ...legal(['quota-429-status', 'retry-after-present', 'header-limit-integer'], {
    'refusals-slow': ['A refusal takes 120 ms.', delayedBy(() => whenRefused)],
  }),
]
