// The three operations: their parameters, their responses, and what the interface leaves open.
import { must, open, should, under } from './requirement.ts'

export const endpoints = {
  ...under('GET /pets, 200', {
    'list.success': must('A valid GET /pets gets 200 with an array of pets.', { ruling: 1 }),
  }),
  ...under('GET /pets, 401', {
    'list.unauthorized': must('GET /pets without a valid key gets 401.'),
  }),
  ...under('GET /pets, limit', {
    'list.limit.most': must('At most `limit` pets are returned.'),
    'list.limit.exact': must('All matching pets are returned, up to `limit`.', { ruling: 3 }),
    'list.limit.default': must('Without `limit` all matching pets are returned, up to 20.', {
      ruling: 2,
    }),
    'list.limit.maximum': must('No response has more than 100 pets.', { ruling: 2 }),
    'list.limit.out-of-range': open('The response to a limit outside 1 to 100.', { ruling: 2 }),
    'list.limit.no-integer': open('The response to a limit that is not an integer.', { ruling: 2 }),
    'list.limit.repeated': open('The response to a limit given twice.', { ruling: 10 }),
  }),
  ...under('GET /pets, status', {
    'list.status.filter': must('Every pet returned has the requested status.', { ruling: 4 }),
    'list.status.complete': must('Every matching pet is returned, unless `limit` cuts the list.', {
      ruling: 4,
    }),
    'list.status.unknown': open('The response to an unknown status.', { ruling: 4 }),
    'list.status.repeated': open('The response to a status given twice.', { ruling: 10 }),
  }),
  ...under('GET /pets', {
    'list.current': must('A new pet is listed within one second of its creation.', { ruling: 5 }),
    'list.faithful': must('A pet is listed as it was created.', { ruling: 12 }),
    'list.extra-parameter': open(
      'The response to a query parameter that the interface does not name.',
      { ruling: 10 },
    ),
    'list.order': open('The order of the pets in a list.', { ruling: 5 }),
  }),
  ...under('GET /pets, Paging', {
    'list.paging': open(
      'Paging beyond `limit`: offset, cursor or page parameters, and paging metadata.',
      { ruling: 5 },
    ),
  }),
  ...under('POST /pets, 201', {
    'create.success': must('A valid POST /pets gets 201 with the pet.', { ruling: 1 }),
    'create.echo': must('The pet in a 201 has the values that were sent.'),
  }),
  ...under('POST /pets, 401', {
    'create.unauthorized': must('POST /pets without a valid key gets 401.'),
  }),
  ...under('POST /pets', { 'create.body-required': must('POST /pets without a body gets 400.') }),
  ...under('POST /pets, 400', {
    'create.body-object': must('A body that is not an object gets 400.', { ruling: 1 }),
    'create.body-json': must('A body that is not JSON gets 400.', { ruling: 1 }),
    'create.strict-json': should(
      'JSON that only a lenient parser accepts (trailing commas, comments, text after the ' +
        'value, unquoted members, bytes that are not UTF-8) is refused.',
      { ruling: 1 },
    ),
    'create.repeated-member': open('The response to a body with a repeated member.', { ruling: 1 }),
    'create.too-large': must('An invalid body that is very large or very deep gets 400 or 413.', {
      ruling: 1,
    }),
    'create.refused-no-trace': must(
      'A refused POST /pets creates nothing: its pet is never listed or returned.',
      { ruling: 12 },
    ),
  }),
  ...under('POST /pets', {
    'create.twice': must('Two equal bodies create two pets.', { ruling: 9 }),
  }),
  ...under('GET /pets/{petId}, 200', {
    'get.success': must('GET of an existing pet gets 200, right after its creation.', {
      ruling: 5,
    }),
    'get.faithful': must('A pet is returned as it was created.', { ruling: 12 }),
    'get.own-id': must('The pet returned has the requested id.', { ruling: 14 }),
  }),
  ...under('GET /pets/{petId}, 401', {
    'get.unauthorized': must('GET /pets/{petId} without a valid key gets 401.'),
  }),
  ...under('GET /pets/{petId}, 404', {
    'get.unknown': must('GET of an id that no pet has gets 404.', { ruling: 14 }),
  }),
  ...under('GET /pets/{petId}, petId', {
    'get.id-parameter': must('A petId outside int64, or not an integer at all, gets 4xx.', {
      ruling: 14,
    }),
    'get.id-spelling': open('Whether other spellings of an integer are accepted.', { ruling: 14 }),
    'get.id-prefix': should('A petId that only begins with digits gets 4xx.', { ruling: 14 }),
  }),
  ...under('GET /pets/{petId}, Deprecation', {
    'get.deprecated': must('The interface description marks the operation as deprecated.', {
      ruling: 24,
    }),
    'get.until-removal': must('GET /pets/{petId} works up to 4 December 2030.', { ruling: 23 }),
    'get.removed': must('GET /pets/{petId} is gone from 6 December 2030 on.', { ruling: 23 }),
    'get.replacement': must(
      '`GET /pets` with `status`, and `POST /pets`, work before and after the removal.',
      { ruling: 23 },
    ),
    'get.deprecation-sent': open('Whether `Deprecation` or `Sunset` is sent.', { ruling: 23 }),
    'get.deprecation-header': should(
      'A `Deprecation` header has the date format of RFC 9745, and is not after the removal.',
      { ruling: 23 },
    ),
    'get.sunset-header': should('A `Sunset` header is an HTTP-date and names 5 December 2030.', {
      ruling: 23,
    }),
  }),
}
