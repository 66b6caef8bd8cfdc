// How credentials are written: the letter case of their scheme, and one token after it.

import { check, invariant } from '../../engine/check/declare.ts'
import { statusCode } from '../../engine/check/exchange.ts'
import { violateStatus } from '../../engine/check/expect.ts'
import { hasMalformedKey, recognizeOperation } from '../../engine/check/operations.ts'
import { listedInForm, longest, ofSold, sharedAs } from '../pets/lists.ts'
import { afterControl } from '../pets/requests.ts'

/** The lists that are requested with the scheme in another letter case. */
const spellings = [
  ['lower', '`GET /pets?limit=100` with the scheme written as `bearer`', longest],
  ['upper', '`GET /pets?limit=100&status=sold` with the scheme written as `BEARER`', ofSold],
] as const

const otherCases = spellings.map(([letterCase, words, query]) =>
  check({
    id: `auth-scheme-${letterCase}-case-200`,
    requirement: 'auth.scheme-case',
    needs: { stage: 'reads', keyed: 1, anonymous: 0, sharesEach: [sharedAs(query)] },
    sends: `A valid ${words}.`,
    fails: 'Any status other than 200. It is a should: in HTTP the scheme is case-insensitive.',
    ...afterControl('list', async (context, valid) => {
      const { response } = await listedInForm(context, query)
      if (statusCode(response) !== 200) violateStatus('status 200', valid, response)
    }),
  }),
)

const malformed = invariant({
  id: 'auth-malformed-401',
  requirement: 'auth.malformed',
  judges:
    'Every response of the three operations to credentials that are not a scheme and one token: ' +
    'two tokens, a space or a comma within, no token.',
  fails: '400. It is a should: RFC 6750 (3.1) has it so. Other checks judge any other status.',
  applies: (exchange) => recognizeOperation(exchange) !== undefined && hasMalformedKey(exchange),
  holds: (exchange) => {
    if (statusCode(exchange) === 400) violateStatus('status 401', exchange)
  },
})

export const grammar = [...otherCases, malformed]
