// Faults in reading the body of a creation: invalid ones that are accepted, get the wrong
// response, or leave a pet behind.

import { isObject, parseJson } from '../../json.ts'
import { ConnectionLost, refuse } from '../../message.ts'
import { caughtBy, each, family, replacing, type Variant } from '../../variant.ts'
import { onOperation } from '../../wrappers/middleware.ts'
import { reading, replacingBadBytes, rewriting, withoutComments } from '../../wrappers/pet-store.ts'

const pet = '{"name":"","categoryId":1}'

/** What is refused with 400 gets another status, or is not refused at all. */
const failing = (isMeant: (text: string) => boolean, status: number): Variant =>
  replacing('readNewPet', ({ readNewPet }, request) =>
    isMeant(String(request.body))
      ? refuse(status, 'internal', 'The body could not be read.')
      : readNewPet(request),
  )

const statuses = ['available', 'pending']

const isJson = (text: string) => parseJson(text) !== undefined

const keeping = (isMeant: (text: string) => boolean): Variant =>
  reading((read, { body }, { store }) => {
    const sent = parseJson(String(body))?.value
    if ('value' in read || !isObject(sent) || !isMeant(String(body))) return read
    const { name = '', categoryId = 1n } = sent as { name?: string; categoryId?: bigint }
    if (typeof name === 'string' && typeof categoryId === 'bigint') {
      store.add({ name, categoryId: BigInt.asIntN(64, categoryId), status: 'available' })
    }
    return read
  })

/** Stores the valid pet of a creation that was refused for its key or its quota. */
export const keepingRefused = (status: 401 | 429): Variant =>
  onOperation('createPet', (response, request, { readNewPet, store }) => {
    const reading = readNewPet(request)
    if (response.status === status && 'value' in reading) store.add(reading.value)
    return response
  })

export const bodyMutants = [
  ...family(rewriting).each({
    'status-case-folded-taken @ create-other-fault-400': [
      'The status is compared after case folding, which takes a long s for an s.',
      (text) => text.replace('"ſold"', '"sold"'),
    ],
    'category-in-other-digits-taken @ create-other-fault-400': [
      'A categoryId that is a string of digits of another script is converted to a number.',
      (text) => text.replace('"categoryId":"٣"', '"categoryId":3'),
    ],
    'status-by-place-taken @ create-other-fault-400': [
      'A status that is the text of its place among them is taken for that one.',
      (text) => text.replace(/"status":"([01])"/, (_, at) => `"status":"${statuses[Number(at)]}"`),
    ],
    'body-array-taken @ create-body-array-400': [
      'An array of pets is accepted, and its first one is created.',
      (text) => /^\[(\{[^{}]*\})\]$/.exec(text)?.[1] ?? text,
    ],
    'body-array-of-values-taken @ create-other-fault-400': [
      'An array is read as the members of a pet, in their order.',
      (text) => {
        const [, name, categoryId, status] = /^\["([^"]*)",(\d+),"(\w+)"\]$/.exec(text) ?? []
        return status ? JSON.stringify({ name, categoryId: Number(categoryId), status }) : text
      },
    ],
    'body-text-taken @ create-body-text-400': [
      'A JSON string as the body is accepted as the name.',
      (text) => (/^"[^"]*"$/.test(text) ? `{"name":${text},"categoryId":1}` : text),
    ],
    'body-null-taken @ create-body-null-400': [
      'The body null passes the check for an object.',
      (text) => (text === 'null' ? pet : text),
    ],
    'body-truncated-taken @ create-body-truncated-400': [
      'Truncated JSON is accepted: a streaming parser stops once it has the members.',
      (text) => (/^\{[^{}]*$/.test(text) ? `${text}}` : text),
    ],
    'body-words-taken @ create-body-words-400': [
      'A body that is not JSON is accepted as a name.',
      (text) => (/^\w[\w ]+$/.test(text) && text !== 'null' ? pet : text),
    ],
    'body-trailing-comma-taken @ create-body-trailing-comma-refused': [
      'JSON with a trailing comma is accepted.',
      (text) => text.replace(/,\s*\}$/, '}'),
    ],
    'body-comments-taken @ create-body-comment-refused': [
      'JSON with comments is accepted.',
      withoutComments,
    ],
    'body-text-after-taken @ create-body-text-after-refused': [
      'Text after the JSON object is ignored.',
      (text) => text.replace(/^(\{[^{}]*\})[^{}]+$/, '$1'),
    ],
    'body-leading-zero-taken @ create-body-lenient-refused': [
      'A number may have zeros in front, as in some languages.',
      (text) => text.replace(/("categoryId":)0+(?=[1-9])/, '$1'),
    ],
    'body-yaml-taken @ create-body-unquoted-member-refused': [
      'The body is read as YAML, so member names need no quotes.',
      (text) => text.replace(/([{,])\s*(name)\s*:/, '$1"$2":'),
    ],
  }),
  ...each({
    'body-invalid-utf8-replaced @ create-body-invalid-utf8-refused': [
      'Bytes that are not UTF-8 are replaced, which changes the name.',
      replacingBadBytes,
    ],
    'body-deep-500 @ create-body-deep-refused': [
      "Deeply nested JSON overflows the parser's stack and gets 500.",
      failing((text) => text.includes('['.repeat(500)), 500),
    ],
  }),
  ...caughtBy('create-body-missing-400', {
    'body-missing-taken': [
      'A request without a body creates an empty pet.',
      rewriting((text) => (text === '' ? pet : text)),
    ],
    'body-missing-411': ['Without a body it gets 411.', failing((text) => text === '', 411)],
  }),
  ...each({
    'body-no-json-422 @ create-body-truncated-400': [
      'JSON that cannot be parsed gets 422 instead of 400.',
      failing((text) => text !== '' && !isJson(text), 422),
    ],
    'body-no-json-500 @ create-body-truncated-400': [
      'JSON that cannot be parsed throws an error that nothing catches, and gets 500.',
      failing((text) => text !== '' && !isJson(text), 500),
    ],
    'body-no-json-unanswered @ create-body-truncated-400': [
      'At JSON that cannot be parsed the worker dies, and its connection is closed.',
      replacing('readNewPet', ({ readNewPet }, request) => {
        if (request.body.length > 0 && !isJson(String(request.body))) throw new ConnectionLost()
        return readNewPet(request)
      }),
    ],
    'body-empty-object-taken @ create-empty-object-400': [
      'An empty object is accepted: no member is required.',
      rewriting((text) => (text === '{}' ? pet : text)),
    ],
    'body-faults-404 @ create-empty-object-400': [
      'A body without categoryId gets 404 instead of 400.',
      failing((text) => isJson(text) && !text.includes('categoryId'), 404),
    ],
    // python/cpython#95778.
    'category-of-many-digits-500 @ answer-no-5xx': [
      'A number of more than 4,300 digits throws an error that nothing catches.',
      failing((text) => /\d{4301}/.test(text), 500),
    ],
    'category-of-long-exponent-500 @ answer-no-5xx': [
      'A categoryId with an exponent beyond 32 bits throws an error that nothing catches.',
      failing((text) => /"categoryId":1e\d{10}\b/.test(text), 500),
    ],
  }),
  ...caughtBy('create-body-large-refused', {
    'body-large-500': ['Above 100 kB it gets 500.', failing((text) => text.length > 100_000, 500)],
    'body-large-cut': [
      'A large body is accepted without being read.',
      rewriting((text) => (text.length > 100_000 ? pet : text)),
    ],
    'body-huge-500': [
      "A body above the parser's limit of 10 MB throws an error that is not caught.",
      reading((read, { body }) =>
        body === 'too-large' ? refuse(500, 'internal', 'request entity too large') : read,
      ),
      { overSockets: true },
    ],
  }),
  ...caughtBy('create-refused-no-trace', {
    'refused-creation-kept-without-key': [
      'A creation without a key gets 401, and the pet is stored anyway.',
      keepingRefused(401),
    ],
    'refused-kept-for-status': [
      'A creation with an invalid status gets 400, and the pet is stored anyway.',
      keeping((text) => /"status"/.test(text)),
    ],
    'refused-kept-for-name': [
      'A creation without a name gets 400, and the pet is stored anyway.',
      keeping((text) => !text.includes('"name"')),
    ],
  }),
]
