// The resources: the fields of NewPet, Pet and Error, and the states of a pet. The three
// operations: their parameters, their responses, and what the interface leaves open.

import { must, open, should, under } from './requirement.ts'

export const resources = {
  ...under('Resources and their fields, NewPet, name', {
    'new-pet.name.required': must('POST /pets without `name` gets 400.'),
    'new-pet.name.type': must('A `name` that is not a string gets 400.'),
    'new-pet.name.ordinary': must(
      'A name of 1 to 100 ordinary characters, in any script, is accepted and returned unchanged.',
      6,
    ),
    'new-pet.name.edge-space': should(
      'A name is returned with the spaces at its start and its end.',
      6,
    ),
    'new-pet.name.extreme': open(
      'Whether empty, blank or very long names, or names with control characters, separators of ' +
        'lines, or private or unassigned characters, are accepted.',
      6,
    ),
    'new-pet.name.extreme-kept': must(
      'An empty, blank or very long name, or one with such characters, is returned unchanged if ' +
        'it is accepted.',
      6,
    ),
  }),
  ...under('Resources and their fields, NewPet, categoryId', {
    'new-pet.category.required': must('POST /pets without `categoryId` gets 400.'),
    'new-pet.category.type': must('A `categoryId` that is not an integer gets 400.', 7),
    'new-pet.category.range': must('A `categoryId` outside int64 gets 400.', 7),
    'new-pet.category.exact': must(
      'Every int64 `categoryId` is accepted and returned digit for digit.',
      7,
    ),
    'new-pet.category.spelling': open('Whether `1.0` and `1e2` are accepted as integers.', 7),
    'new-pet.category.non-positive': open(
      'Whether a `categoryId` of zero or below is accepted.',
      7,
    ),
  }),
  ...under('Resources and their fields, NewPet, status', {
    'new-pet.status.optional': must('POST /pets without `status` is accepted.'),
    'new-pet.status.enum': must('A `status` that is not one of the three values gets 400.'),
    'new-pet.status.kept': must('A status that was sent is returned unchanged.', {
      ruling: 8,
      coveredBy: 'create.echo',
    }),
    'new-pet.status.null': open('The response to `"status": null` in POST /pets.', 8),
  }),
  ...under('Resources and their fields, NewPet', {
    'new-pet.extra': open(
      'Whether POST /pets refuses a body with members that the interface does not name.',
      10,
    ),
  }),
  ...under('Resources and their fields, Pet', {
    'pet.fields': must('A pet has all the fields of NewPet, with their types.'),
    'pet.stays': must('A pet remains as it was created: no operation removes or changes it.', 12),
  }),
  ...under('Resources and their fields, Pet, id', {
    'pet.id.present': must('A pet has an `id`, an int64 integer.'),
    'pet.id.assigned': must(
      'The service assigns the id, and ignores or refuses one in the body.',
      9,
    ),
    'pet.id.sent': open('Whether an `id` in the body of POST /pets is refused or ignored.', 9),
    'pet.id.unique': must('No two pets have the same id.', 9),
  }),
  ...under('Resources and their fields, Pets', {
    'pets.array': must('The body of the list response is an array of Pet objects.'),
  }),
  ...under('Resources and their fields, PetStatus', {
    'pet-status.values': must('A status is `available`, `pending` or `sold`.'),
  }),
  ...under('Resources and their fields, Error, code', {
    'error.code': must('An Error has a `code`, a string.', { coveredBy: 'errors.shape' }),
    'error.code-stable': should('The same error always has the same `code`.'),
  }),
  ...under('Resources and their fields, Error, message', {
    'error.message': must('An Error has a `message`, a string.', { coveredBy: 'errors.shape' }),
    'error.internals': should('A message contains no stack trace, file path or SQL.', 1),
  }),
  ...under('Resources and their fields, Error, status', {
    'error.status': must('The `status` of an Error is the HTTP status code.'),
  }),
  ...under('Resources and their fields, Gaps, Category resource', {
    'gap.category': open('Whether an unknown `categoryId` is refused.', 7),
  }),
  ...under('Resources and their fields, Gaps, Default value of status', {
    'gap.default-status': open('The status of a pet that was created without one.', 8),
  }),
  ...under('States and transitions', {
    'states.values': must('A pet is in one of the states `available`, `pending`, `sold`.', {
      coveredBy: 'pet-status.values',
    }),
    'states.transitions': open('How a pet changes its state.', {
      untestable: 'No operation of the interface changes a pet.',
    }),
  }),
}

export const endpoints = {
  ...under('GET /pets, 200', {
    'list.success': must('A valid GET /pets gets 200 with an array of pets.', 1),
  }),
  ...under('GET /pets, 401', {
    'list.unauthorized': must('GET /pets without a valid key gets 401.'),
  }),
  ...under('GET /pets, limit', {
    'list.limit.most': must('At most `limit` pets are returned.'),
    'list.limit.exact': must('All matching pets are returned, up to `limit`.', 3),
    'list.limit.default': must('Without `limit` all matching pets are returned, up to 20.', {
      ruling: 2,
      coveredBy: 'list.limit.most',
    }),
    'list.limit.maximum': must('No response has more than 100 pets.', {
      ruling: 2,
      coveredBy: 'list.limit.most',
    }),
    'list.limit.out-of-range': open('The response to a limit outside 1 to 100.', 2),
    'list.limit.no-integer': open('The response to a limit that is not an integer.', 2),
    'list.limit.repeated': open('The response to a limit given twice.', 10),
  }),
  ...under('GET /pets, status', {
    'list.status.filter': must('Every pet returned has the requested status.', 4),
    'list.status.complete': must('Every matching pet is returned, unless `limit` cuts the list.', {
      ruling: 4,
      coveredBy: 'list.limit.exact',
    }),
    'list.status.unknown': open('The response to an unknown status.', 4),
    'list.status.repeated': open('The response to a status given twice.', 10),
  }),
  ...under('GET /pets', {
    'list.current': must('A new pet is listed within one second of its creation.', {
      ruling: 5,
      coveredBy: 'list.limit.exact',
    }),
    'list.faithful': must('A pet is listed as it was created.', 12),
    'list.extra-parameter': open(
      'The response to a query parameter that the interface does not name.',
      10,
    ),
    'list.order': open('The order of the pets in a list.', 5),
  }),
  ...under('GET /pets, Paging', {
    'list.paging': open(
      'Paging beyond `limit`: offset, cursor or page parameters, and paging metadata.',
      5,
    ),
  }),
  ...under('POST /pets, 201', {
    'create.success': must('A valid POST /pets gets 201 with the pet.', 1),
    'create.echo': must('The pet in a 201 has the values that were sent.'),
  }),
  ...under('POST /pets, 401', {
    'create.unauthorized': must('POST /pets without a valid key gets 401.'),
  }),
  ...under('POST /pets', {
    'create.body-required': must('POST /pets without a body gets 400.'),
    'create.twice': must('Two equal bodies create two pets.', 9),
  }),
  ...under('POST /pets, 400', {
    'create.body-object': must('A body that is not an object gets 400.', 1),
    'create.body-json': must('A body that is not JSON gets 400.', 1),
    'create.strict-json': should(
      'JSON that only a lenient parser accepts (trailing commas, comments, text after the ' +
        'value, unquoted members, bytes that are not UTF-8) is refused.',
      1,
    ),
    'create.repeated-member': open('The response to a body with a repeated member.', 1),
    'create.too-large': must('An invalid body that is very large or very deep gets 400 or 413.', 1),
    'create.refused-no-trace': must(
      'A refused POST /pets creates nothing: its pet is never listed or returned.',
      12,
    ),
  }),
  ...under('GET /pets/{petId}, 200', {
    'get.success': must('GET of an existing pet gets 200, right after its creation.', 5),
    'get.faithful': must('A pet is returned as it was created.', 12),
    'get.own-id': must('The pet returned has the requested id.', 14),
  }),
  ...under('GET /pets/{petId}, 401', {
    'get.unauthorized': must('GET /pets/{petId} without a valid key gets 401.'),
  }),
  ...under('GET /pets/{petId}, 404', {
    'get.unknown': must('GET of an id that no pet has gets 404.', 14),
  }),
  ...under('GET /pets/{petId}, petId', {
    'get.id-parameter': must('A petId outside int64, or not an integer at all, gets 4xx.', 14),
    'get.id-spelling': open('Whether other spellings of an integer are accepted.', 14),
    'get.id-prefix': should('A petId that only begins with digits gets 4xx.', 14),
  }),
  ...under('GET /pets/{petId}, Deprecation', {
    'get.deprecated': must('The interface description marks the operation as deprecated.', 24),
    'get.until-removal': must('GET /pets/{petId} works up to 4 December 2030.', 23),
    'get.removed': must('GET /pets/{petId} is gone from 6 December 2030 on.', 23),
    'get.replacement': must(
      '`GET /pets` with `status`, and `POST /pets`, work before and after the removal.',
      23,
    ),
    'get.deprecation-sent': open('Whether `Deprecation` or `Sunset` is sent.', 23),
    'get.deprecation-header': should(
      'A `Deprecation` header has the date format of RFC 9745, and is not after the removal.',
      23,
    ),
    'get.sunset-header': should('A `Sunset` header is an HTTP-date and names 5 December 2030.', 23),
  }),
}
