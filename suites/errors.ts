// Errors: what the interface leaves open about them. Clauses judge their shape.

import { type AnyCheck, observe } from '../engine/check/declare.ts'
import { statusCode } from '../history/exchange.ts'
import { shownMember } from '../model/errors.ts'
import { withoutKey } from './authentication/demand.ts'
import { afterControl } from './pets/requests.ts'

const codes = observe({
  id: 'error-codes',
  requirement: 'gap.code-values',
  needs: { stage: 'reads', keyed: 0, anonymous: 1 },
  sends: 'One `GET /pets` without a key; it also looks at a 400 of the run.',
  records: 'The `code` of each.',
  ...afterControl('list', async (context) => {
    const { knownPets } = context
    const refused = knownPets.refusals.find(
      ({ exchange }) => statusCode(exchange) === 400,
    )?.exchange
    const keyless = await withoutKey(context, 'list')
    return [refused, keyless]
      .filter((exchange) => exchange !== undefined)
      .map((exchange) => `${statusCode(exchange)} ${shownMember('code', exchange)}`)
      .join(', ')
  }),
})

export const errors: readonly AnyCheck[] = [codes]
