// Keys: where they stand, what is none, and what is said to who has none; and the errors.
import { must, open, should } from '../sentence.ts'

export const authentication = {
  'auth.bearer': must(
    'Authentication 1',
    'A key is sent as `Authorization: Bearer` followed by the key, and so is taken.',
  ),
  'auth.only-bearer': must(
    'Authentication 1',
    'A key anywhere else (other scheme, header, query, cookie, body) is no key.',
  ),
  'auth.each-request': must(
    'Authentication 1',
    'Every request needs its key; a connection lends none to a later request.',
  ),
  'auth.scheme': must('Authentication 2', 'The security scheme is HTTP, scheme `bearer`.'),
  'auth.scheme-case': should('Authentication 2', 'The scheme is case-insensitive.'),
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
  'auth.scope': open('Authentication 5', 'Whether keys share their pets, or have their own.'),
  'auth.issuing': open('Authentication 5', 'How keys are issued or revoked.', {
    untestable: 'No operation of the interface issues or revokes a key.',
  }),

  'errors.shape': must('Errors', 'Error responses have the Error shape.'),
  'errors.shape-low': should(
    'Errors',
    'Answers to addresses and methods it lacks, and from below the API, have the Error shape.',
  ),
  'errors.400': must('Errors, 400', 'Missing or invalid values in a body get 400.'),
  'errors.401': must('Errors, 401', 'A missing or invalid key gets 401, everywhere.'),
  'errors.404': must('Errors, 404', 'A pet that does not exist gets 404.'),
  'errors.429': must('Errors, 429', 'A request over the rate limit gets 429.'),
  'gap.code-values': open('Gaps, The set of values', 'The values that `code` takes.'),
  'gap.429-body': open('Gaps, The body shape', 'The body of a 429.'),
}
