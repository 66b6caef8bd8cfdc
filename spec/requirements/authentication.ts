// API keys: where a key is sent, what is not a valid key, what a 401 contains; and errors.
import { must, open, should, under } from './requirement.ts'

export const authentication = {
  ...under('Authentication 1', {
    'auth.bearer': must('A key sent as `Authorization: Bearer` followed by the key is accepted.'),
    'auth.only-bearer': must(
      'A key sent in any other way (scheme, header, query, cookie, body) is not accepted.',
      { ruling: 13 },
    ),
    'auth.each-request': must(
      'Every request needs its own key: a key sent earlier on the connection does not count.',
      { ruling: 13 },
    ),
  }),
  ...under('Authentication 2', {
    'auth.scheme': must('The security scheme is HTTP, scheme `bearer`.'),
    'auth.scheme-case': should('The name of the scheme is case-insensitive.', { ruling: 13 }),
  }),
  ...under('Authentication 3', {
    'auth.key-missing': must('A missing key gets 401.'),
    'auth.key-invalid': must('An invalid key gets 401.', { ruling: 13 }),
    'auth.first': must(
      'Without a valid key the response is 401 whatever else is wrong with the request.',
      { ruling: 13 },
    ),
    'auth.reveals-nothing': must('A 401 does not reveal whether a pet exists.', { ruling: 13 }),
    'auth.repeats-no-key': should('A 401 does not repeat what was sent as a key.'),
    'auth.challenge': should('A 401 has `WWW-Authenticate`.', { ruling: 13 }),
  }),
  ...under('Authentication 1', {
    'auth.two-headers': open(
      'The response to two Authorization headers, one of them with a valid key.',
    ),
  }),
  ...under('Authentication 4', {
    'auth.per-key': must('Rate limiting is tracked per API key.', { ruling: 21 }),
  }),
  ...under('Authentication 5', {
    'auth.scope': open('Whether all keys see the same pets, or each key its own.', { ruling: 12 }),
    'auth.issuing': open('How keys are issued or revoked.', {
      untestable: 'No operation of the interface issues or revokes a key.',
    }),
  }),
  ...under('Errors', {
    'errors.shape': must('Error responses have the Error shape.', { ruling: 1 }),
    'errors.shape-low': should(
      'Errors for unknown addresses and methods, and from the HTTP server, have the Error shape.',
      { ruling: 1 },
    ),
  }),
  ...under('Errors, 400', {
    'errors.400': must('A body with missing or invalid values gets 400.', { ruling: 1 }),
  }),
  ...under('Errors, 401', {
    'errors.401': must('A missing or invalid key gets 401 on all three operations.'),
  }),
  ...under('Errors, 404', { 'errors.404': must('A pet that does not exist gets 404.') }),
  ...under('Errors, 429', { 'errors.429': must('A request over the rate limit gets 429.') }),
  ...under('Gaps, The set of values', {
    'gap.code-values': open('Examples of the values that `code` takes.'),
  }),
  ...under('Gaps, The body shape', { 'gap.429-body': open('The body of a 429.', { ruling: 19 }) }),
}
