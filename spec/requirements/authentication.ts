// API keys: where a key is sent, what is not a valid key, what a 401 contains; and errors.
import { must, open, should } from '../requirement.ts'

export const authentication = {
  'auth.bearer': must(
    'Authentication 1',
    'A key sent as `Authorization: Bearer` followed by the key is accepted.',
  ),
  'auth.only-bearer': must(
    'Authentication 1',
    'A key sent in any other way (scheme, header, query, cookie, body) is not accepted.',
  ),
  'auth.each-request': must(
    'Authentication 1',
    'Every request needs its own key: a key sent earlier on the connection does not count.',
  ),
  'auth.scheme': must('Authentication 2', 'The security scheme is HTTP, scheme `bearer`.'),
  'auth.scheme-case': should('Authentication 2', 'The name of the scheme is case-insensitive.'),
  'auth.key-missing': must('Authentication 3', 'A missing key gets 401.'),
  'auth.key-invalid': must('Authentication 3', 'An invalid key gets 401.'),
  'auth.first': must(
    'Authentication 3',
    'Without a valid key the response is 401 whatever else is wrong with the request.',
  ),
  'auth.reveals-nothing': must('Authentication 3', 'A 401 does not reveal whether a pet exists.'),
  'auth.repeats-no-key': should(
    'Authentication 3',
    'A 401 does not repeat what was sent as a key.',
  ),
  'auth.challenge': should('Authentication 3', 'A 401 has `WWW-Authenticate`.'),
  'auth.two-headers': open(
    'Authentication 1',
    'The response to two Authorization headers, one of them with a valid key.',
  ),
  'auth.per-key': must('Authentication 4', 'Rate limiting is tracked per API key.'),
  'auth.scope': open(
    'Authentication 5',
    'Whether all keys see the same pets, or each key its own.',
  ),
  'auth.issuing': open('Authentication 5', 'How keys are issued or revoked.', {
    untestable: 'No operation of the interface issues or revokes a key.',
  }),

  'errors.shape': must('Errors', 'Error responses have the Error shape.'),
  'errors.shape-low': should(
    'Errors',
    'Errors for unknown addresses and methods, and from the HTTP server, have the Error shape.',
  ),
  'errors.400': must('Errors, 400', 'A body with missing or invalid values gets 400.'),
  'errors.401': must('Errors, 401', 'A missing or invalid key gets 401 on all three operations.'),
  'errors.404': must('Errors, 404', 'A pet that does not exist gets 404.'),
  'errors.429': must('Errors, 429', 'A request over the rate limit gets 429.'),
  'gap.code-values': open('Gaps, The set of values', 'Examples of the values that `code` takes.'),
  'gap.429-body': open('Gaps, The body shape', 'The body of a 429.'),
}
