// Every mutant and every legal variant; and servers that send the same response to every request.

import { descriptionMutants, descriptionVariants } from './descriptions.ts'
import { errorVariants, refusalVariants } from './legal/errors.ts'
import { frontVariants } from './legal/fronts.ts'
import { headerVariants } from './legal/headers.ts'
import { banVariants, dateVariants, legalRemovals, windowVariants } from './legal/limiters.ts'
import { bodyVariants } from './legal/lists.ts'
import { petVariants } from './legal/pets.ts'
import type { ApiResponse } from './message.ts'
import { authenticationMutants } from './mutants/auth/accepted-keys.ts'
import { guardMutants } from './mutants/auth/guard.ts'
import { conditionedMutants } from './mutants/concurrency/conditioned.ts'
import { inFlightMutants } from './mutants/concurrency/in-flight.ts'
import { intermittentMutants } from './mutants/concurrency/intermittent.ts'
import { bodyMutants } from './mutants/create/bodies.ts'
import { creationMutants } from './mutants/create/creation.ts'
import { getMutants, removalMutants } from './mutants/get.ts'
import { headerMutants } from './mutants/headers.ts'
import { circumstanceMutants } from './mutants/limits/circumstances.ts'
import { countMutants } from './mutants/limits/counting.ts'
import { dayMutants, quotaMutants } from './mutants/limits/quotas.ts'
import { banMutants, refusalMutants } from './mutants/limits/refusals.ts'
import { keptMutants } from './mutants/limits/windows.ts'
import { listMutants } from './mutants/list/list.ts'
import { idMutants } from './mutants/pets/ids-and-names.ts'
import { lostMutants } from './mutants/pets/lost-pets.ts'
import { addressMutants } from './mutants/responses/addresses.ts'
import { errorMutants } from './mutants/responses/errors.ts'
import { sequenceMutants } from './mutants/sequences.ts'
import type { LegalVariant, Mutant, Variant } from './variant.ts'

const contract: readonly Mutant[] = [
  ...listMutants,
  ...creationMutants,
  ...bodyMutants,
  ...idMutants,
  ...getMutants,
  ...lostMutants,
  ...removalMutants,
  ...authenticationMutants,
  ...guardMutants,
  ...errorMutants,
  ...addressMutants,
  ...descriptionMutants,
  ...headerMutants,
  ...inFlightMutants,
  ...intermittentMutants,
  ...sequenceMutants,
  ...conditionedMutants,
]

const limits: readonly Mutant[] = [
  ...quotaMutants,
  ...countMutants,
  ...circumstanceMutants,
  ...keptMutants,
  ...refusalMutants,
  ...banMutants,
]

export const mutants: readonly Mutant[] = [
  ...contract,
  ...limits.map((mutant): Mutant => ({ suite: 'limits', ...mutant })),
  ...dayMutants.map((mutant): Mutant => ({ suite: 'days', ...mutant })),
]

const limiters: readonly LegalVariant[] = [
  ...windowVariants,
  ...banVariants,
  ...refusalVariants,
  ...dateVariants,
]

export const legalVariants: readonly LegalVariant[] = [
  ...bodyVariants,
  ...petVariants,
  ...legalRemovals,
  ...headerVariants,
  ...frontVariants,
  ...errorVariants,
  ...descriptionVariants,
  ...limiters.map((legal): LegalVariant => ({ ...legal, suite: 'both' })),
]

/** No check may pass at one of them. */
interface ConstantServer extends Variant {
  readonly id: string
  readonly responds: string
}

const json = { 'Content-Type': 'application/json' }

const always = (id: string, responds: string, response: ApiResponse): ConstantServer => ({
  id: `constant-${id}`,
  responds,
  handle:
    (_honest, { rateLimitHeaders, withoutKey, clock }) =>
    () => ({
      ...response,
      headers: { ...rateLimitHeaders(withoutKey(clock.now())), ...response.headers },
    }),
})

const error = (status: number): ConstantServer => {
  const body = JSON.stringify({ code: 'constant', message: 'Always the same.', status })
  return always(`${status}`, `${status} with an Error`, { status, headers: json, body })
}

const pet = '{"id":1,"name":"Rex","categoryId":1,"status":"available"}'

export const constants: readonly ConstantServer[] = [
  always('200-list', '200 with an empty list', { status: 200, headers: json, body: '[]' }),
  always('200-pets', '200 with one pet', { status: 200, headers: json, body: `[${pet}]` }),
  always('200-pet', '200 with a pet', { status: 200, headers: json, body: pet }),
  always('201', '201 with a pet', { status: 201, headers: json, body: pet }),
  always('204', '204', { status: 204, headers: {}, body: '' }),
  always('200-empty', '200 with an empty body', { status: 200, headers: json, body: '' }),
  always('200-html', '200 with an HTML page', {
    status: 200,
    headers: { 'Content-Type': 'text/html' },
    body: '<!doctype html><title>It works</title>',
  }),
  always('302', 'a redirect', { status: 302, headers: { Location: '/login' }, body: '' }),
  ...[400, 401, 404, 429, 500].map(error),
]
