// Faults of the refusal itself: its status, its headers, its body, and what it leaves behind.
import type { Variant } from '../../compose.ts'
import type { Mutant } from '../../mutant.ts'
import { onOperation, onStatus, replacedBy, withBody, withHeaders, without } from '../over.ts'
import { refusingWith } from './over.ts'

/** Another status in place of 429. */
const answering = (status: number): Variant =>
  onStatus(429, replacedBy(status, 'busy', 'Please try again later.'))

const statuses: readonly Mutant[] = [
  {
    id: 'excess-answered-503',
    breaks: 'errors.429',
    caughtBy: 'quota-excess-429',
    fault: 'The proxy in front refuses with 503, as it does unless told otherwise.',
    ...answering(503),
  },
  {
    id: 'excess-answered-403',
    breaks: 'limits.429',
    caughtBy: 'quota-429-status',
    fault: 'The quota is taken for a right that is missing.',
    ...answering(403),
  },
  {
    id: 'excess-answered-401',
    breaks: 'errors.429',
    caughtBy: 'quota-excess-429',
    fault: 'A spent key is taken for an invalid one.',
    ...answering(401),
  },
  {
    id: 'excess-answered-400',
    breaks: 'limits.429',
    caughtBy: 'quota-429-status',
    fault: 'Every refusal of the gateway is a 400.',
    ...answering(400),
  },
  {
    id: 'excess-answered-418',
    breaks: 'errors.429',
    caughtBy: 'quota-excess-429',
    fault: 'The joke was never replaced.',
    ...answering(418),
  },
  {
    id: 'excess-answered-500',
    breaks: 'limits.429',
    caughtBy: 'quota-429-status',
    fault: 'The exception of the limiter is caught by nobody.',
    ...answering(500),
  },
  {
    id: 'excess-answered-200-with-error',
    breaks: 'errors.429',
    caughtBy: 'quota-excess-429',
    fault: 'The refusal stands in the body of an answer 200.',
    ...answering(200),
  },
  {
    id: 'excess-answered-200-with-nothing',
    breaks: 'limits.429',
    caughtBy: 'quota-429-status',
    fault: 'Who is over the limit gets an empty list.',
    ...onStatus(429, (answer) => ({ ...answer, status: 200, body: '[]' })),
  },
  {
    id: 'excess-answered-302',
    breaks: 'errors.429',
    caughtBy: 'quota-excess-429',
    fault: 'Who is over the limit is sent to the page that sells more.',
    ...onStatus(429, (answer) => ({
      ...answer,
      status: 302,
      headers: { ...answer.headers, Location: '/pricing' },
    })),
  },
]

const page = '<!doctype html><title>429 Too Many Requests</title><h1>Too Many Requests</h1>'

const headers: readonly Mutant[] = [
  {
    id: 'refusal-without-limit',
    breaks: 'headers.limit',
    caughtBy: 'header-limit-present',
    fault: 'The proxy that refuses does not know the three headers.',
    ...onStatus(429, without('X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset')),
  },
  {
    id: 'refusal-without-remaining',
    breaks: 'headers.remaining',
    caughtBy: 'header-remaining-present',
    fault: 'Nothing remains, so nothing is said.',
    ...onStatus(429, without('X-RateLimit-Remaining')),
  },
  {
    id: 'refusal-without-reset',
    breaks: 'headers.reset',
    caughtBy: 'header-reset-present',
    fault: 'Retry-After says it, so Reset is left out.',
    ...onStatus(429, without('X-RateLimit-Reset')),
  },
  {
    id: 'refusal-below-zero',
    breaks: 'headers.form',
    caughtBy: 'header-remaining-integer',
    fault: 'The refused call is subtracted too.',
    ...onStatus(429, withHeaders({ 'X-RateLimit-Remaining': '-1' })),
  },
  {
    id: 'refusal-as-page',
    breaks: 'service.json',
    caughtBy: 'body-media-type-json',
    fault: 'The proxy that refuses writes a page.',
    ...onStatus(429, withBody('text/html', page)),
  },
  {
    id: 'refusal-says-one-remains',
    breaks: 'headers.agree',
    caughtBy: 'refusal-remaining-zero',
    fault: 'Remaining is read from a copy that is a call behind.',
    ...refusingWith((refusal) => ({ ...refusal, remaining: 1 })),
  },
  {
    id: 'refusal-says-all-remain',
    breaks: 'headers.agree',
    caughtBy: 'refusal-remaining-zero',
    fault: 'A refusal shows the plan, and not the count.',
    ...refusingWith((refusal) => ({ ...refusal, remaining: refusal.limit })),
  },
]

/** A refused creation is stored before its refusal is answered. */
const storing: Variant = onOperation('createPet', (answer, request, { readNewPet, store }) => {
  const reading = readNewPet(request)
  if (answer.status === 429 && 'value' in reading) store.add(reading.value)
  return answer
})

const effects: readonly Mutant[] = [
  {
    id: 'refused-creation-stored',
    breaks: 'limits.no-effect',
    caughtBy: 'refused-creation-no-effect',
    fault: 'The limiter runs after the handler, and takes the answer alone.',
    ...storing,
  },
]

export const refusalMutants: readonly Mutant[] = [...statuses, ...headers, ...effects]
