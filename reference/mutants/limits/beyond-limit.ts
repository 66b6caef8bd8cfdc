// Faults of requests beyond the limit that are invalid in themselves.

import type { Parts } from '../../api-parts.ts'
import type { ApiResponse } from '../../message.ts'
import { caughtBy, type Mutant } from '../../mutant.ts'
import { petStatuses } from '../../store.ts'
import type { Variant } from '../../variant.ts'
import {
  findOperation,
  onStatus,
  readBody,
  readQuery,
  where,
  without,
} from '../../wrappers/middleware.ts'

/** Changes what an invalid creation, or the GET of an unknown id, gets beyond the limit. */
const toInvalid = (
  change: (refusal: ApiResponse, creation: string | undefined, parts: Parts) => ApiResponse,
): Variant =>
  onStatus(429, (refusal, request, parts) => {
    const operation = findOperation(request, parts)
    if (operation === 'getPet') return change(refusal, undefined, parts)
    const isInvalid = operation === 'createPet' && 'refusal' in parts.readNewPet(request)
    return isInvalid ? change(refusal, readBody(request), parts) : refusal
  })

/** Creates a pet of the name in an invalid body. */
const mended = (body: string, { store }: Parts) =>
  store.add({
    name: /"name":"([^"]*)"/.exec(body)?.[1] ?? '',
    categoryId: 1n,
    status: petStatuses.find((status) => body.includes(`"${status}"`)) ?? 'available',
  })

export const beyondLimitMutants: readonly Mutant[] = [
  ...caughtBy('over-limit-invalid-no-effect', {
    'over-limit-invalid-created': [
      'Beyond the limit an invalid creation is repaired instead of refused.',
      toInvalid((refusal, creation, parts) =>
        creation === undefined
          ? refusal
          : { ...refusal, status: 201, body: parts.printPet(mended(creation, parts)) },
      ),
    ],
    'over-limit-invalid-stored': [
      'Beyond the limit an invalid creation gets 429, and a pet is stored anyway.',
      toInvalid((refusal, creation, parts) => {
        if (creation !== undefined) mended(creation, parts)
        return refusal
      }),
    ],
  }),
  ...caughtBy('over-limit-invalid-none-remain', {
    'over-limit-invalid-shows-whole-minute': [
      'Beyond the limit invalid requests are refused as such, with a whole minute in the headers.',
      toInvalid((refusal, creation, { error }) => ({
        ...(creation === undefined
          ? error(404, 'not_found', 'There is no such pet.')
          : error(400, 'invalid_body', 'categoryId is required.')),
        headers: {
          ...without('Retry-After')(refusal).headers,
          'X-RateLimit-Remaining': refusal.headers['X-RateLimit-Limit'] ?? '',
        },
      })),
    ],
  }),
  ...caughtBy('window-served-most', {
    'over-limit-bad-limit-served': [
      'A list with an invalid limit is served before the quota is looked at.',
      where(
        ({ status }, request) => status === 429 && readQuery(request).get('limit') === '0',
        (refusal) => ({ ...without('Retry-After')(refusal), status: 200, body: '[]' }),
      ),
      { shownBy: 'whole run' },
    ],
  }),
]
