// Requests drawn over all that `read` distinguishes, and over the vocabularies of the rows: each
// part in each of its forms, with any others, valid or not.
import * as fc from 'fast-check'
import { fieldsOf, headerOf } from '../engine/check/parts.ts'
import { type ApiRequest, get, type Header, post, unauthorized } from '../history/exchange.ts'
import { compactJson, type Json, printJson } from '../history/json.ts'
import { furtherTails, longNames, wholeNames } from '../suites/pets/arbitraries.ts'
import addresses from '../suites/vocabulary/addresses.json' with { type: 'json' }
import bodies from '../suites/vocabulary/bodies.json' with { type: 'json' }
import headerFields from '../suites/vocabulary/header-fields.json' with { type: 'json' }
import noKeys from '../suites/vocabulary/no-keys.json' with { type: 'json' }

const wordsIn = (text: string): readonly string[] => text.replaceAll('ID', '2').split(' ')

const { 'The grammar of pairs': pairs, 'Long ones': lengths, ...named } = addresses.queries

const ids = [
  ...['1', '2', '7', '999999', '-1', '0', '9007199254740993', '9223372036854775807'],
  ...['9223372036854775808', '-9223372036854775809', '1abc', 'abc', '1.5', '1.0', '+1', '01'],
  ...['1e0', '%31', '%20', '1%00', '%ff', '%2F', '..', '1;a=1', '1/2', '', `1${'0'.repeat(70)}`],
  ...Object.values(addresses.ids).flatMap(wordsIn),
  ...addresses.idLengths.map((length) => '9'.repeat(length)),
]

const queries = [
  ...['limit=1', 'limit=20', 'limit=100', 'limit=0', 'limit=101', 'limit=-1', 'limit=abc'],
  ...['limit=', 'limit=1e1', 'limit=05', 'limit=+5', 'limit=%31', 'limit=1.0', 'limit=1&limit=2'],
  ...['status=available', 'status=pending', 'status=sold', 'status=SOLD', 'status=', 'status=%ff'],
  ...['status=sold&status=pending', 'page=2', 'offset=1', 'fields=id', 'sort=-id', '&&', '=', 'a'],
  ...pairs,
  ...lengths.map((length) => 'x'.repeat(length)),
  ...Object.values(named).flatMap(wordsIn),
  ...wordsIn(addresses.statuses).map((status) => `status=${status}`),
  ...wordsIn(addresses.limits).map((limit) => `limit=${limit}`),
]

const paths = [
  ...['/store', '/animals', '/domains', '/projects', '/nonsense', '/pets/', '//pets', '/PETS'],
  ...['/%70ets', '/pets/1/2', '/pet', '/', '/pets.json', '/x/%2e%2e/pets'],
  ...wordsIn(addresses.spellings),
]

const methods = ['PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', ...wordsIn(addresses.methods)]

const names: readonly Json[] = [
  ...['Rex', 'a', '字🐈', 'e\u0301', 'שלום', 'null', '0012', '__proto__', 'O\'Neil "x" \\ /'],
  ...['<b>&amp;</b> {{x}} %s', 'two  spaces', '', ' ', ' a', 'a '],
  ...['x'.repeat(100), 'x'.repeat(101)],
  ...['a\u0000b', 'a\nb', '\ud800', 5n, true, null, ['a'], { a: 1n }],
  ...[...longNames, ...wholeNames, ...furtherTails],
]
const categories: readonly Json[] = [
  ...[1n, 7n, 2n ** 31n, 2n ** 53n + 1n, 2n ** 63n - 1n, 0n, -1n, 2n ** 63n, -(2n ** 63n) - 1n],
  ...[1.5, '1', 'one', true, null, [1n], {}],
]
const statuses: readonly Json[] = [
  ...['available', 'pending', 'sold', 'SOLD', '', ' sold', 'gone', null, 1n, true, []],
]
const texts = [
  ...['', ' ', '{', '{"name":', '[]', '[1]', '"text"', 'null', '1', 'true', '{}', 'name=Rex'],
  ...['{"name":"Rex","categoryId":1,}', '// a\n{"name":"Rex","categoryId":1}', '<pet/>'],
  ...['{"name":"Rex","categoryId":1} x', '{name:"Rex",categoryId:1}', '\ufeff{}'],
  ...['{"name":"Rex","name":"Max","categoryId":1}', '{"name":"Rex","categoryId":1.0}'],
  ...bodies.texts,
  ...bodies.members.map((member) => `{"name":"Rex","categoryId":1,${member}}`),
  ...bodies.categoryId.map((category) => `{"name":"Rex","categoryId":${category}}`),
  ...bodies.status.map((status) => `{"name":"Rex","categoryId":1,"status":${status}}`),
  ...bodies.name.map((name) => `{"name":${name},"categoryId":1}`),
]

const ownFields = [
  ...['Accept: application/json', 'Accept: text/html', 'Accept-Language: de', 'User-Agent: petvet'],
  ...['X-Request-Id: a-1', 'If-None-Match: *', 'Range: bytes=0-1', 'Expect: a', 'Cookie: a=b'],
  ...['Content-Type: text/plain', 'x-lower: 1'],
]
const { innocent, furtherInnocent, asking, furtherAsking } = headerFields
const fields: readonly (readonly Header[])[] = [
  ...ownFields.map((field) => [headerOf(field)]),
  ...[innocent, furtherInnocent, asking, furtherAsking].flatMap(fieldsOf),
]
const types: readonly (readonly Header[])[] = [
  [['Content-Type', 'application/json']],
  [['Content-Type', 'application/json; charset=utf-8']],
  [['content-type', 'APPLICATION/JSON']],
  [['Content-Type', 'text/plain']],
  [],
  ...bodies.mediaTypes.map((type) => [['Content-Type', type] as const]),
]
const credentials = [
  ...['', 'Bearer', 'Bearer never-issued-petvet-key', 'Basic YTpi', 'Token a-b', 'never-issued'],
  ...['Bearer a b', 'Bearer a, Bearer b', 'bearer never-issued-petvet-key'],
  ...[...noKeys.noValue, ...noKeys.patterns, ...noKeys.properties].map((key) => `Bearer ${key}`),
  ...noKeys.grammar,
]

const missing = Symbol('missing')
const member = (all: readonly Json[]) =>
  fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...all.slice(0, 1)) }, fc.constantFrom(...all), {
    weight: 1,
    arbitrary: fc.constant(missing),
  })

const pet = fc
  .record({ name: member(names), categoryId: member(categories), status: member(statuses) })
  .chain((members) => fc.shuffledSubarray(Object.entries(members), { minLength: 3 }))
  .map((members) =>
    printJson(
      Object.fromEntries(members.filter(([, value]) => value !== missing)) as Record<string, Json>,
    ),
  )

const body = fc.oneof(
  { weight: 6, arbitrary: pet },
  { weight: 1, arbitrary: pet.map((text) => compactJson(text).replaceAll(':', ' : ')) },
  { weight: 3, arbitrary: fc.constantFrom(...texts, null) },
)

const operation: fc.Arbitrary<ApiRequest> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .subarray(queries, { maxLength: 3 })
      .map((some) => get(some.length === 0 ? '/pets' : `/pets?${some.join('&')}`)),
  },
  {
    weight: 6,
    arbitrary: fc
      .tuple(body, fc.oneof(fc.constant(types[0]), fc.constantFrom(...types)))
      .map(([text, type = []]) => post('/pets', text, [...type])),
  },
  { weight: 4, arbitrary: fc.constantFrom(...ids).map((id) => get(`/pets/${id}`)) },
  { weight: 1, arbitrary: fc.constantFrom(...paths).map((path) => get(path)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...methods), fc.constantFrom('/pets', '/pets/1', '/store'))
      .map(([method, path]) => ({ ...get(path), method })),
  },
)

const key: fc.Arbitrary<(request: ApiRequest) => ApiRequest> = fc.oneof(
  { weight: 6, arbitrary: fc.constant((request: ApiRequest) => request) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('bearer', 'BEARER')
      .map((scheme) => (request: ApiRequest) => ({ ...request, scheme })),
  },
  { weight: 1, arbitrary: fc.constant((request: ApiRequest) => unauthorized(request)) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(...credentials)
      .map((value) => (request: ApiRequest) => unauthorized(request, value)),
  },
)

/** Any request. */
export const anyRequest: fc.Arbitrary<ApiRequest> = fc
  .tuple(operation, key, fc.subarray([...fields], { maxLength: 2 }), fc.boolean())
  .map(([request, withCredentials, more, fresh]) => ({
    ...withCredentials({ ...request, headers: [...request.headers, ...more.flat()] }),
    ...(fresh && { fresh }),
  }))
