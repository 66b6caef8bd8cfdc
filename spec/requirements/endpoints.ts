// The three operations: what each takes, answers, and leaves open.
import { must, open, should } from '../sentence.ts'

const list = 'GET /pets'
const create = 'POST /pets'
const get = 'GET /pets/{petId}'

export const endpoints = {
  'list.success': must(`${list}, 200`, 'A valid list request gets 200 with Pets.'),
  'list.unauthorized': must(`${list}, 401`, 'A list without a valid key gets 401.'),
  'list.limit.most': must(`${list}, limit`, 'At most `limit` animals are returned.'),
  'list.limit.exact': must(
    `${list}, limit`,
    'As many pets as match are returned, up to `limit`: no fewer.',
  ),
  'list.limit.default': must(`${list}, limit`, 'Without `limit` at most 20 pets are returned.'),
  'list.limit.maximum': must(`${list}, limit`, 'No response holds more than 100 pets.'),
  'list.limit.out-of-range': open(`${list}, limit`, 'The response to a limit outside 1 to 100.'),
  'list.limit.no-integer': open(
    `${list}, limit`,
    'The response to a limit that is not an integer.',
  ),
  'list.limit.repeated': open(`${list}, limit`, 'The response to a limit given twice.'),
  'list.status.filter': must(`${list}, status`, 'Every pet returned has the requested status.'),
  'list.status.complete': must(
    `${list}, status`,
    'A pet known to match is found when `limit` does not cut the list.',
  ),
  'list.status.unknown': open(`${list}, status`, 'The response to an unknown status.'),
  'list.status.repeated': open(`${list}, status`, 'The response to a status given twice.'),
  'list.current': must(list, 'A new pet is listed at the latest one second after its creation.'),
  'list.faithful': must(list, 'A pet is listed as it was created.'),
  'list.extra-parameter': open(list, 'The response to a parameter the table does not name.'),
  'list.order': open(list, 'The order of a list.'),
  'list.paging': open(
    `${list}, Paging`,
    'Paging beyond `limit`: offset, cursor, page, and metadata of it.',
  ),

  'create.success': must(`${create}, 201`, 'A valid creation gets 201 with a Pet.'),
  'create.echo': must(`${create}, 201`, 'The Pet of a 201 has the values that were sent.'),
  'create.unauthorized': must(`${create}, 401`, 'A creation without a valid key gets 401.'),
  'create.body-required': must(create, 'A creation without a body gets 400.'),
  'create.body-object': must(`${create}, 400`, 'A body that is not an object gets 400.'),
  'create.body-json': must(`${create}, 400`, 'A body that is not JSON gets 400.'),
  'create.strict-json': should(
    `${create}, 400`,
    'What only a lenient parser reads (commas, comments, text after the value, members without ' +
      'quotes, bytes that are not UTF-8) is refused.',
  ),
  'create.repeated-member': open(`${create}, 400`, 'The response to a member given twice.'),
  'create.too-large': must(
    `${create}, 400`,
    'An invalid body that is very large or very deep gets 400 or 413.',
  ),
  'create.refused-no-trace': must(
    `${create}, 400`,
    'A refused creation leaves no trace: its pet is never listed or fetchable.',
  ),
  'create.twice': must(create, 'Two equal bodies make two animals.'),

  'get.success': must(`${get}, 200`, 'A known pet gets 200, right after its creation.'),
  'get.faithful': must(`${get}, 200`, 'A pet is returned as it was created.'),
  'get.own-id': must(`${get}, 200`, 'The pet returned has the requested id.'),
  'get.unauthorized': must(`${get}, 401`, 'A fetch without a valid key gets 401.'),
  'get.unknown': must(`${get}, 404`, 'An id that no pet has gets 404.'),
  'get.id-parameter': must(
    `${get}, petId`,
    'A petId outside int64, or not an integer at all, gets 4xx.',
  ),
  'get.id-spelling': open(`${get}, petId`, 'Whether other spellings of an integer are taken.'),
  'get.id-prefix': should(`${get}, petId`, 'A text that only begins with digits is no integer.'),
  'get.deprecated': must(
    `${get}, Deprecation`,
    'The operation is marked deprecated in the interface description.',
  ),
  'get.until-removal': must(`${get}, Deprecation`, 'It works up to 4 December 2030.'),
  'get.removed': must(`${get}, Deprecation`, 'It is gone from 6 December 2030 on.'),
  'get.replacement': must(
    `${get}, Deprecation`,
    '`GET /pets` with `status`, and `POST /pets`, work before and after the removal.',
  ),
  'get.deprecation-sent': open(`${get}, Deprecation`, 'Whether `Deprecation` or `Sunset` is sent.'),
  'get.deprecation-header': should(
    `${get}, Deprecation`,
    'A `Deprecation` header is a date of RFC 9745, not after the removal.',
  ),
  'get.sunset-header': should(
    `${get}, Deprecation`,
    'A `Sunset` header is an HTTP-date and names 5 December 2030.',
  ),
}
