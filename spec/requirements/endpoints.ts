// The three operations: their parameters, their responses, and what the interface leaves open.
import { must, open, should } from '../requirement.ts'

const list = 'GET /pets'
const create = 'POST /pets'
const get = 'GET /pets/{petId}'

export const endpoints = {
  'list.success': must(`${list}, 200`, 'A valid GET /pets gets 200 with an array of pets.'),
  'list.unauthorized': must(`${list}, 401`, 'GET /pets without a valid key gets 401.'),
  'list.limit.most': must(`${list}, limit`, 'At most `limit` pets are returned.'),
  'list.limit.exact': must(`${list}, limit`, 'All matching pets are returned, up to `limit`.'),
  'list.limit.default': must(
    `${list}, limit`,
    'Without `limit` all matching pets are returned, up to 20.',
  ),
  'list.limit.maximum': must(`${list}, limit`, 'No response has more than 100 pets.'),
  'list.limit.out-of-range': open(`${list}, limit`, 'The response to a limit outside 1 to 100.'),
  'list.limit.no-integer': open(
    `${list}, limit`,
    'The response to a limit that is not an integer.',
  ),
  'list.limit.repeated': open(`${list}, limit`, 'The response to a limit given twice.'),
  'list.status.filter': must(`${list}, status`, 'Every pet returned has the requested status.'),
  'list.status.complete': must(
    `${list}, status`,
    'Every matching pet is returned, unless `limit` cuts the list.',
  ),
  'list.status.unknown': open(`${list}, status`, 'The response to an unknown status.'),
  'list.status.repeated': open(`${list}, status`, 'The response to a status given twice.'),
  'list.current': must(list, 'A new pet is listed within one second of its creation.'),
  'list.faithful': must(list, 'A pet is listed as it was created.'),
  'list.extra-parameter': open(
    list,
    'The response to a query parameter that the interface does not name.',
  ),
  'list.order': open(list, 'The order of the pets in a list.'),
  'list.paging': open(
    `${list}, Paging`,
    'Paging beyond `limit`: offset, cursor or page parameters, and paging metadata.',
  ),

  'create.success': must(`${create}, 201`, 'A valid POST /pets gets 201 with the pet.'),
  'create.echo': must(`${create}, 201`, 'The pet in a 201 has the values that were sent.'),
  'create.unauthorized': must(`${create}, 401`, 'POST /pets without a valid key gets 401.'),
  'create.body-required': must(create, 'POST /pets without a body gets 400.'),
  'create.body-object': must(`${create}, 400`, 'A body that is not an object gets 400.'),
  'create.body-json': must(`${create}, 400`, 'A body that is not JSON gets 400.'),
  'create.strict-json': should(
    `${create}, 400`,
    'JSON that only a lenient parser accepts (trailing commas, comments, text after the value, ' +
      'unquoted members, bytes that are not UTF-8) is refused.',
  ),
  'create.repeated-member': open(
    `${create}, 400`,
    'The response to a body with a repeated member.',
  ),
  'create.too-large': must(
    `${create}, 400`,
    'An invalid body that is very large or very deep gets 400 or 413.',
  ),
  'create.refused-no-trace': must(
    `${create}, 400`,
    'A refused POST /pets creates nothing: its pet is never listed or returned.',
  ),
  'create.twice': must(create, 'Two equal bodies create two pets.'),

  'get.success': must(`${get}, 200`, 'GET of an existing pet gets 200, right after its creation.'),
  'get.faithful': must(`${get}, 200`, 'A pet is returned as it was created.'),
  'get.own-id': must(`${get}, 200`, 'The pet returned has the requested id.'),
  'get.unauthorized': must(`${get}, 401`, 'GET /pets/{petId} without a valid key gets 401.'),
  'get.unknown': must(`${get}, 404`, 'GET of an id that no pet has gets 404.'),
  'get.id-parameter': must(
    `${get}, petId`,
    'A petId outside int64, or not an integer at all, gets 4xx.',
  ),
  'get.id-spelling': open(`${get}, petId`, 'Whether other spellings of an integer are accepted.'),
  'get.id-prefix': should(`${get}, petId`, 'A petId that only begins with digits gets 4xx.'),
  'get.deprecated': must(
    `${get}, Deprecation`,
    'The interface description marks the operation as deprecated.',
  ),
  'get.until-removal': must(
    `${get}, Deprecation`,
    'GET /pets/{petId} works up to 4 December 2030.',
  ),
  'get.removed': must(`${get}, Deprecation`, 'GET /pets/{petId} is gone from 6 December 2030 on.'),
  'get.replacement': must(
    `${get}, Deprecation`,
    '`GET /pets` with `status`, and `POST /pets`, work before and after the removal.',
  ),
  'get.deprecation-sent': open(`${get}, Deprecation`, 'Whether `Deprecation` or `Sunset` is sent.'),
  'get.deprecation-header': should(
    `${get}, Deprecation`,
    'A `Deprecation` header has the date format of RFC 9745, and is not after the removal.',
  ),
  'get.sunset-header': should(
    `${get}, Deprecation`,
    'A `Sunset` header is an HTTP-date and names 5 December 2030.',
  ),
}
