// Versioning and errors: the base URL, what announces a deprecation, the codes of errors.

import { type AnyCheck, check, observe } from '../engine/check/declare.ts'
import { bodyObject } from '../history/body.ts'
import { header, isAnswered, statusCode } from '../history/exchange.ts'
import { describeMember, violate } from '../model/clause.ts'
import { afterControl } from './pets/requests.ts'

const codes = observe({
  id: 'error-codes',
  requirement: 'gap.code-values',
  sentBy: ['auth-missing-list-401'],
  needs: { stage: 'reads' },
  sends: 'No requests: it looks at a 400 and a 401 of the run.',
  records: 'The `code` of each.',
  ...afterControl('list', async ({ history }) =>
    [400, 401]
      .flatMap(
        (status) =>
          history.exchanges.filter(isAnswered).find((one) => statusCode(one) === status) ?? [],
      )
      .map(
        (exchange) =>
          `${statusCode(exchange)} ${describeMember(bodyObject(exchange) ?? {}, 'code')}`,
      )
      .join(', '),
  ),
})

const prefix = check({
  id: 'base-address-version-prefix',
  requirement: 'service.base-path',
  needs: { stage: 'reads' },
  sends: 'No requests: it looks at the URL of the valid `GET /pets` that returned 200.',
  fails: 'A path that does not end in `/v1/pets`.',
  ...afterControl('list', async (_, exchange) => {
    const { pathname } = new URL(exchange.request.url)
    if (pathname.endsWith('/v1/pets')) return
    violate('a base URL that ends in /v1', `the path of the list is ${pathname}`, exchange)
  }),
})

const announced = observe({
  id: 'get-deprecation-sent',
  requirement: 'get.deprecation-sent',
  needs: { stage: 'reads', getPet: true },
  sends: 'No requests: it looks at the GET of an existing pet.',
  records: 'Which of `Deprecation` and `Sunset` the response has.',
  ...afterControl('get', async (_, exchange) => {
    const sent = ['Deprecation', 'Sunset'].filter((name) => header(exchange, name) !== undefined)
    return sent.join(' and ') || 'neither'
  }),
})

export const versioning: readonly AnyCheck[] = [codes, prefix, announced]
