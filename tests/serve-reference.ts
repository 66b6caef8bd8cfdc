// The reference on any port, its pets in memory, and stopped after the test.

import { type Reference, type ReferenceOptions, startReference } from '../reference/start.ts'
import type { Variant } from '../reference/variant.ts'
import { atTestEnd } from './at-test-end.ts'

export const serveReference = async (
  options: Partial<ReferenceOptions> & Pick<ReferenceOptions, 'keys'>,
): Promise<Reference> => {
  const reference = await startReference({ onFault: () => {}, ...options })
  atTestEnd(reference.close)
  return reference
}

/** One fault: its lists are sent as text. */
export const textLists: Variant = {
  handle: (honest) => async (request) => {
    const response = await honest(request)
    const headers = { ...response.headers, 'Content-Type': 'text/plain' }
    return response.body.startsWith('[') ? { ...response, headers } : response
  },
}
