// The service as a whole: base address, media type, addresses, methods, versions, stability. API
// keys: where a key is sent, what is not a valid key, what a 401 contains; and errors.

import { must, open, should, under } from './requirement.ts'

export const service = {
  ...under('What the service does', {
    'service.operations': must('Clients can list pets, add a pet and fetch one by its identifier.'),
    'service.key': must('Every request needs an API key; without one no request is served.'),
    'service.counted': must('Requests are counted against a per-plan rate limit.', {
      coveredBy: 'limits.not-late',
    }),
    'service.base-path': must('The base address includes the version prefix `/v1`.'),
    'service.two-addresses': must('A production and a staging address exist.', {
      untestable: 'A run has one base URL, which does not show whether another exists.',
    }),
    'service.json': must('Response bodies are JSON, sent as `application/json`.', 11),
    'service.coding': should(
      'A response has no content coding that the request did not accept (RFC 9110, 12.5.3).',
      11,
    ),
    'service.json-request': must(
      'Request bodies are JSON; `application/json` is accepted, with or without a charset.',
      11,
    ),
    'service.media-type-case': should(
      'The media type of a request is accepted in any letter case (RFC 9110, 8.3.1).',
      11,
    ),
    'service.any-form': must(
      'A valid request succeeds whatever its client, or a proxy, adds that asks for nothing, and ' +
        'however its JSON is written and sent.',
      1,
    ),
    'service.asking-fields': open(
      'The response to a field that asks for more, or that servers refuse or redirect on purpose.',
      1,
    ),
    'service.field-bytes': should(
      'A field that asks for nothing may have bytes beyond ASCII in its value (RFC 9110, 5.5).',
      1,
    ),
    'service.override': should(
      'A header field by which some frameworks let a client ask for another method or address is ' +
        'ignored.',
      1,
    ),
    'service.media-type': open('The response to POST /pets with another media type, or none.', 11),
    'service.tag': must('The operations are grouped under the tag `animals`.', 24),
    'service.groups': must('The groups `Store` and `Pets` hold no endpoints of their own.', 26),
    'service.no-server-error': must('No request makes the service fail: no response is 5xx.', 1),
    'service.no-server-error-elsewhere': should(
      'A request to an address outside the interface never gets a 5xx other than 501.',
      1,
    ),
    'service.nonsense-address': should(
      'An address that the interface does not name does not get 2xx.',
      26,
    ),
    'service.address-spelling': open(
      'The response to another spelling of a path: slashes, letter case, percent-escapes.',
      26,
    ),
    'service.method': must('A method that a path does not have gets 4xx or 501.', 26),
    'service.allow': should('A 405 names the methods of the path in `Allow`.', 26),
    'service.own-response': must(
      'A response belongs to its own request, whatever else is in flight or was sent before.',
    ),
    'service.head': open('The response to HEAD.', 26),
    'service.options': open('The response to OPTIONS.', 26),
    'service.stability': must(
      'The stability marker `x-stability` of an operation is `experimental` or `beta`.',
      24,
    ),
    'service.stability-which': open('Which operations have `x-stability`.'),
  }),
  ...under('Endpoints', {
    'service.operation-ids': must(
      'The operations have the ids `listPets`, `createPet` and `getPet`.',
      24,
    ),
  }),
  ...under('Versioning 1', {
    'version.prefix': must('The version is in the base address as `/v1`.', {
      ruling: 25,
      coveredBy: 'service.base-path',
    }),
    'version.description': must('The interface description is at version 1.0.0.', 24),
    'version.other-prefix': open(
      'The response under another version prefix, to a request without a key.',
      25,
    ),
  }),
  ...under('Versioning 2', {
    'version.deprecated-works': must(
      'A deprecated operation stays available until its removal date, and is gone after it.',
      { ruling: 23, coveredBy: 'get.until-removal' },
    ),
  }),
  ...under('Versioning 3', {
    'version.stability': must(
      'Stability markers have the values `experimental` and `beta` and no others.',
      { ruling: 24, coveredBy: 'service.stability' },
    ),
  }),
  ...under('Events', {
    'events.none': open('Events, webhooks and notifications.', {
      untestable: 'The interface names no channel on which an event could arrive.',
    }),
  }),
}

export const authentication = {
  ...under('Authentication 1', {
    'auth.bearer': must('A key sent as `Authorization: Bearer` followed by the key is accepted.'),
    'auth.only-bearer': must(
      'A key sent in any other way (scheme, header, query, cookie, body) is not accepted.',
      13,
    ),
    'auth.each-request': must(
      'Every request needs its own key: a key sent earlier on the connection does not count.',
      13,
    ),
    'auth.two-headers': open(
      'The response to two Authorization headers, one of them with a valid key.',
    ),
  }),
  ...under('Authentication 2', {
    'auth.scheme': must('The security scheme is HTTP, scheme `bearer`.'),
    'auth.scheme-case': should('The name of the scheme is case-insensitive.', 13),
  }),
  ...under('Authentication 3', {
    'auth.key-missing': must('A missing key gets 401.'),
    'auth.key-invalid': must('An invalid key gets 401.', 13),
    'auth.malformed': should(
      'Credentials that are not a scheme and one token get 401, not 400 (RFC 6750, 3.1).',
      13,
    ),
    'auth.first': must(
      'Without a valid key the response is 401 whatever else is wrong with the request.',
      13,
    ),
    'auth.reveals-nothing': must('A 401 does not reveal whether a pet exists.', 13),
    'auth.trace': must('A response to TRACE repeats no key, at any address.', 26),
    'auth.repeats-no-key': should('A 401 does not repeat what was sent as a key.'),
    'auth.challenge': should('A 401 has `WWW-Authenticate`.', 13),
  }),
  ...under('Authentication 4', {
    'auth.per-key': must('Rate limiting is tracked per API key.', 21),
  }),
  ...under('Authentication 5', {
    'auth.scope': open('Whether all keys see the same pets, or each key its own.', 12),
    'auth.issuing': open('How keys are issued or revoked.', {
      untestable: 'No operation of the interface issues or revokes a key.',
    }),
  }),
  ...under('Errors', {
    'errors.shape': must('Error responses have the Error shape.', 1),
    'errors.shape-low': should(
      'Errors for unknown addresses and methods, and from the HTTP server, have the Error shape.',
      1,
    ),
  }),
  ...under('Errors, 400', {
    'errors.400': must('A body with missing or invalid values gets 400.', 1),
  }),
  ...under('Errors, 401', {
    'errors.401': must('A missing or invalid key gets 401 on all three operations.'),
  }),
  ...under('Errors, 404', {
    'errors.404': must('A pet that does not exist gets 404.', { coveredBy: 'get.unknown' }),
  }),
  ...under('Errors, 429', {
    'errors.429': must('A request over the rate limit gets 429.', { coveredBy: 'limits.429' }),
  }),
  ...under('Errors, Gaps, The set of values', {
    'gap.code-values': open('Examples of the values that `code` takes.'),
  }),
  ...under('Errors, Gaps, The body shape', {
    'gap.429-body': open('The body of a 429.', 19),
  }),
}
