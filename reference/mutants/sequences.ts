// Faults that no single request finds; faults that users of frameworks, gateways and parsers
// reported; and faults of first versions: what a language and a framework do by default.

import { parseJson } from '../json.ts'
import { type ApiRequest, splitTarget } from '../message.ts'
import type { NewPet } from '../store.ts'
import { caughtBy, each, replacing, together, type Variant } from '../variant.ts'
import {
  everyResponse,
  everyResponseBy,
  failingAt,
  rateLimitNames,
  receiving,
  serverError,
  where,
  withHeaders,
} from '../wrappers/middleware.ts'
import {
  coercing,
  numbering,
  readingId,
  refusingText,
  rewriting,
  showing,
} from '../wrappers/pet-store.ts'
import { keepingLists, letsIn, recognising } from './auth/accepted-keys.ts'

const knownMethod = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)$/i

const value = ({ header }: ApiRequest, name: string): string => header(name) ?? ''

/** Serves requests without a key of which a header matches. */
const servedFor = (name: string, pattern: RegExp): Variant =>
  recognising(letsIn((request) => pattern.test(value(request, name))))

/** As a database counts that has a hundred pets. */
const smallIds = numbering((position) => position + 101n)

const grouped = (value: string | undefined): string => Number(value).toLocaleString('en-US')

export const sequenceMutants = [
  ...each({
    'status-line-end-taken @ create-status-line-feed-400': [
      'A status may end with a line feed, before which `$` of a regular expression matches.',
      coercing('status', (status) =>
        typeof status === 'string' ? status.replace(/\n$/, '') : status,
      ),
    ],
    'get-undefined-is-any @ get-id-word-refused': [
      'An id that is `undefined` or `null` is no condition to the query: it finds the first pet.',
      readingId((text, { store }) =>
        /^(?:undefined|null|NaN)$/.test(text) ? store.list(undefined, 1)[0]?.id : undefined,
      ),
    ],
    'method-unknown-is-get @ walk-statuses': [
      'A method that the router does not know is taken for GET.',
      replacing('findRoute', ({ findRoute }, method, path) =>
        findRoute(knownMethod.test(method) ? method : 'GET', path),
      ),
    ],
    'method-delete-of-nothing-204 @ method-other-refused': [
      'DELETE of a pet that does not exist gets 204; of one that exists, 405.',
      where(
        ({ status }, { method, target }, { readPetId, store }) => {
          const [, text = ''] = /\/pets\/([^/]+)$/.exec(splitTarget(target).path) ?? []
          const id = readPetId(text)
          return status === 405 && method === 'DELETE' && 'value' in id && !store.get(id.value)
        },
        (response) => ({ ...response, status: 204, body: '' }),
      ),
    ],
    'lists-kept-for-anyone @ auth-no-key-none-served': [
      'A gateway keeps lists with a limit, and gives them out before it looks at the key.',
      keepingLists(({ target }) => target.includes('limit=')),
    ],
    'ids-boxed @ get-each-known-200': [
      'Ids beyond 127 are not found: boxed integers are compared by `==`.',
      together(
        smallIds,
        readingId((text) => (/^\d{1,19}$/.test(text) && BigInt(text) > 127n ? -1n : undefined)),
      ),
    ],
  }),
  // Each names the report.
  ...each({
    // TheHive-Project/TheHive#438, windmill-labs/windmill#10628, Altinn/dialogporten#4103.
    'reported-type-of-empty-body @ list-fields-200': [
      'A GET with a Content-Type is refused: its empty body is not valid JSON.',
      failingAt(
        400,
        (request) => request.method === 'GET' && /json/i.test(value(request, 'content-type')),
      ),
    ],
    // pulp/pulpcore#6214.
    'reported-cookie-name @ list-fields-200': [
      'A name in Cookie that is no token makes a request fail.',
      failingAt(500, (request) => /(?:^|;)\s*[^=;]*[/{]/.test(value(request, 'cookie'))),
    ],
    // freeunitorg/freeunit#109.
    'reported-traceparent @ list-fields-200': [
      'A malformed traceparent makes a request fail, instead of a new trace.',
      failingAt(
        500,
        (request) =>
          request.header('traceparent') !== undefined &&
          !/^00-[0-9a-f]{32}-[0-9a-f]{16}-\d\d$/.test(value(request, 'traceparent')),
      ),
    ],
    // interledger/interledger-rs#498, openbmc/bmcweb#271.
    'reported-charset-without-space @ create-charset-utf8-201': [
      'A media type with a charset is known with a space before the charset only.',
      failingAt(400, (request) => value(request, 'content-type').includes(';charset')),
    ],
    // acornejo/jjv#18.
    'reported-fraction-of-double @ create-other-fault-400': [
      'A number is read as a double: beyond 2^53 a fraction is lost before it is looked for.',
      rewriting((text) => text.replace(/("categoryId":\d{16,})\.5\b/, '$1')),
    ],
    // cesanta/mjson#73, maciejhirsz/json-rust#167.
    'reported-escaped-solidus @ create-json-form-201': [
      'The JSON parser does not know the escape of a slash.',
      refusingText((text) => /(?<!\\)(?:\\\\)*\\\//.test(text)),
    ],
    // aws/aws-lambda-dotnet#904, aws/aws-sdk-js#2719.
    'reported-field-names-in-capitals @ list-field-names-200': [
      'The names of header fields are looked up as they are usually written, or in lower case.',
      receiving(({ head = '', header }) => ({
        header: (name) => (head.includes(`${name.toUpperCase()}: `) ? undefined : header(name)),
      })),
    ],
    // brianc/node-postgres#154, alibaba/druid#1761.
    'reported-aborted-transaction @ answer-no-5xx': [
      'A NUL in a body aborts the transaction of a pooled connection: the next request fails.',
      everyResponseBy(() => {
        let isAborted = false
        return (response, { body }) => {
          const wasAborted = isAborted
          isAborted = /\\u0000/.test(String(body))
          return wasAborted ? serverError(response) : response
        }
      }),
    ],
    // JamesNK/Newtonsoft.Json#862.
    'reported-name-read-as-date @ create-each-echoed': [
      'A text that looks like a date and a time is read as that, and printed in another form.',
      showing((pet) => {
        const name = String(pet.name)
        const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|$)/.test(name)
        return isTime ? { ...pet, name: name.replace('T', ' ') } : pet
      }),
    ],
    // openfoodfacts/openfoodfacts-explorer#1060, request/request#1571.
    'reported-key-of-nothing @ auth-no-value-list-401': [
      'The keys are read from variables that are not set: the word for no value is a key.',
      servedFor('authorization', /^Bearer (?:undefined|null|None|nil|\(null\))$/i),
    ],
    // BC-SECURITY/Empire#274.
    'reported-key-of-template @ auth-placeholder-list-401': [
      'The keys are read from a template that nothing fills in: the name of a variable is a key.',
      servedFor('authorization', /^Bearer [${%<]{1,3}.*key.*$/i),
    ],
    // home-assistant/core#14345, KanishJebaMathewM/Truxify#13918.
    'reported-forwarded-for-local @ auth-trusted-fields-401': [
      'A request that X-Forwarded-For says is from this machine needs no key.',
      servedFor('x-forwarded-for', /^(?:127\.0\.0\.1|::1)$/),
    ],
    // vibed-project/vibeD#44.
    'reported-forwarded-user @ auth-trusted-fields-401': [
      'The user that a proxy names in X-Forwarded-User is taken from any client.',
      servedFor('x-forwarded-user', /./),
    ],
    'numbers-are-doubles @ create-each-echoed': [
      'All numbers are doubles: JSON is parsed and printed by the language, and ids by parseInt.',
      together(
        smallIds,
        showing((pet) => ({ ...pet, categoryId: Number(pet.categoryId) })),
        readingId((text) => {
          const id = Number.parseInt(text, 10)
          return Number.isSafeInteger(id) ? BigInt(id) : undefined
        }),
      ),
    ],
    'types-not-validated @ create-category-boolean-400': [
      'Members of a creation are stored and returned as they were sent, whatever type they have.',
      replacing('readNewPet', ({ readNewPet }, request) => {
        const read = readNewPet(request)
        const sent = 'value' in read ? undefined : parseJson(String(request.body))?.value
        if (typeof sent !== 'object' || sent === null) return read
        const { name, categoryId, status = 'available' } = sent as Record<string, unknown>
        return { value: { name, categoryId, status } as unknown as NewPet }
      }),
    ],
    'length-in-characters @ body-strict-json': [
      'Content-Length is the number of characters, so that a body with other than ASCII is cut.',
      everyResponse((response) => ({
        ...response,
        body: Buffer.from(response.body).subarray(0, response.body.length).toString('latin1'),
        encoding: 'latin1',
      })),
    ],
    'headers-in-locale @ header-reset-integer': [
      'Numbers in headers are printed for the locale: 1,795,435,177.',
      everyResponse((response) =>
        withHeaders(
          Object.fromEntries(rateLimitNames.map((name) => [name, grouped(response.headers[name])])),
        )(response),
      ),
    ],
  }),
  // As frameworks obey fields that ask for another method or address.
  ...caughtBy('create-override-ignored-201', {
    'override-method-obeyed': [
      'X-HTTP-Method-Override changes the method of a POST.',
      receiving(({ method, header }) => ({
        method: method === 'POST' ? (header('x-http-method-override') ?? method) : method,
      })),
    ],
    'override-url-obeyed': [
      'X-Original-URL or X-Rewrite-URL replaces the address.',
      receiving(({ target, header }) => ({
        target: header('x-original-url') ?? header('x-rewrite-url') ?? target,
      })),
    ],
  }),
]
