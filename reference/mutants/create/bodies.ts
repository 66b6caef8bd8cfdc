// Faults in reading the body of a creation: invalid ones that are accepted, get the wrong
// response, or leave a pet behind.

import type { Variant } from '../../compose.ts'
import { parseJson } from '../../json.ts'
import { refuse } from '../../message.ts'
import { caughtBy, type Mutant } from '../../mutant.ts'
import { refusingExtraMembers, replacingBadBytes, rewriting } from '../../seams/pets.ts'

type Row = readonly [id: string, caughtBy: string, fault: string, change: (text: string) => string]

const animal = '{"name":"","categoryId":1}'

const accepted: readonly Row[] = [
  [
    'body-array-taken',
    'create-body-array-400',
    'Of several animals in a list the first is added.',
    (text) => /^\[(\{[^{}]*\})\]$/.exec(text)?.[1] ?? text,
  ],
  [
    'body-text-taken',
    'create-body-text-400',
    'A text is taken for the name.',
    (text) => (/^"[^"]*"$/.test(text) ? `{"name":${text},"categoryId":1}` : text),
  ],
  [
    'body-null-taken',
    'create-body-null-400',
    'null is an object to the language, one without members.',
    (text) => (text === 'null' ? animal : text),
  ],
  [
    'body-truncated-taken',
    'create-body-truncated-400',
    'A streaming reader is content once it has the members.',
    (text) => (/^\{[^{}]*$/.test(text) ? `${text}}` : text),
  ],
  [
    'body-words-taken',
    'create-body-words-400',
    'A text that is no JSON is taken for a name.',
    (text) => (/^\w[\w ]+$/.test(text) && text !== 'null' ? animal : text),
  ],
  [
    'body-trailing-comma-taken',
    'create-body-trailing-comma-refused',
    'A lenient parser takes a comma at the end.',
    (text) => text.replace(/,\s*\}$/, '}'),
  ],
  [
    'body-comments-taken',
    'create-body-comment-refused',
    'A lenient parser takes comments.',
    (text) => text.replace(/\/\*[^*]*\*\//, ''),
  ],
  [
    'body-text-after-taken',
    'create-body-text-after-refused',
    'The reader stops at the end of the object, and does not look further.',
    (text) => text.replace(/^(\{[^{}]*\})[^{}]+$/, '$1'),
  ],
  [
    'body-yaml-taken',
    'create-body-unquoted-member-400',
    'The body is read as YAML, which needs no quotes.',
    (text) => text.replace(/([{,])\s*(name)\s*:/, '$1"$2":'),
  ],
]

/** How deep the brackets of a text may go before a reader that recurses gives up. */
const maxDepth = 500

/** What is refused with 400 gets another status, or is not refused at all. */
const failing = (isMeant: (text: string) => boolean, status: number): Variant => ({
  parts: ({ readNewPet }) => ({
    readNewPet: (request) =>
      isMeant(String(request.body))
        ? refuse(status, 'internal', 'The body could not be read.')
        : readNewPet(request),
  }),
})

const isJson = (text: string) => parseJson(text) !== undefined

/** Keeps an animal all the same, although its creation was refused. */
const keeping = (isMeant: (text: string) => boolean): Variant => ({
  parts: ({ store, readNewPet }) => ({
    readNewPet: (request) => {
      const reading = readNewPet(request)
      const sent = parseJson(String(request.body))?.value
      if ('value' in reading || sent === null || typeof sent !== 'object') return reading
      if (!isMeant(String(request.body))) return reading
      const { name = '', categoryId = 1n } = sent as { name?: string; categoryId?: bigint }
      const isSound = typeof name === 'string' && typeof categoryId === 'bigint'
      if (isSound) {
        store.add({ name, categoryId: BigInt.asIntN(64, categoryId), status: 'available' })
      }
      return reading
    },
  }),
})

const keepingWithoutKey: NonNullable<Variant['handle']> = (honest, parts) => async (request) => {
  const answer = await honest(request)
  if (answer.status !== 401 || request.method !== 'POST') return answer
  const reading = parts.readNewPet(request)
  if ('value' in reading) parts.store.add(reading.value)
  return answer
}

export const bodyMutants: readonly Mutant[] = [
  ...accepted.map(
    ([id, check, fault, change]): Mutant => ({ id, caughtBy: check, fault, ...rewriting(change) }),
  ),
  {
    id: 'body-invalid-utf8-replaced',
    caughtBy: 'create-body-invalid-utf8-400',
    fault: 'Bytes that are no UTF-8 are replaced, so that the name is another one.',
    ...replacingBadBytes,
  },
  ...caughtBy('create-body-missing-400', [
    [
      'body-missing-taken',
      'A missing body counts as an empty animal.',
      rewriting((text) => (text === '' ? animal : text)),
    ],
    [
      'body-missing-411',
      'A missing body is answered by a proxy, with 411.',
      failing((text) => text === '', 411),
    ],
  ]),
  {
    id: 'body-no-json-422',
    caughtBy: 'create-body-truncated-400',
    fault: 'A body that cannot be parsed is answered 422.',
    ...failing((text) => text !== '' && !isJson(text), 422),
  },
  ...caughtBy('create-empty-object-400', [
    [
      'body-empty-object-taken',
      'Members are validated where they are there, and none has to be.',
      rewriting((text) => (text === '{}' ? animal : text)),
    ],
    [
      'body-faults-404',
      'A creation that names no category is answered 404.',
      failing((text) => isJson(text) && !text.includes('categoryId'), 404),
    ],
  ]),
  {
    id: 'body-deep-500',
    caughtBy: 'create-body-deep-refused',
    fault: 'A reader that recurses runs out of stack.',
    ...failing((text) => text.includes('['.repeat(maxDepth)), 500),
  },
  ...caughtBy('create-body-large-refused', [
    [
      'body-large-500',
      'A body larger than a buffer of 100 kB is a fault of the server.',
      failing((text) => text.length > 100_000, 500),
    ],
    [
      'body-large-cut',
      'A large body is taken without looking.',
      rewriting((text) => (text.length > 100_000 ? animal : text)),
    ],
  ]),
  {
    id: 'body-huge-500',
    caughtBy: 'create-body-huge-refused',
    fault: 'The limit of the framework was raised to 10 MB, and what is beyond it is not caught.',
    parts: ({ readNewPet }) => ({
      readNewPet: (request) =>
        request.body === 'too-large'
          ? refuse(500, 'internal', 'request entity too large')
          : readNewPet(request),
    }),
  },
  ...caughtBy('create-refused-no-trace', [
    [
      'refused-creation-kept-without-key',
      'The key is looked at when the animal has been stored.',
      {
        handle: keepingWithoutKey,
      },
    ],
    [
      'refused-creation-kept-without-key-if-plain',
      'The key is looked at last; a member beyond the three is refused before that.',
      {
        ...refusingExtraMembers,
        handle: keepingWithoutKey,
      },
    ],
    [
      'refused-kept-for-status',
      'The status is validated after the animal has been inserted.',
      {
        shownBy: 'whole run',
        ...keeping((text) => /"status"/.test(text)),
      },
    ],
    [
      'refused-kept-for-name',
      'A transaction is not rolled back when the name turns out to be missing.',
      {
        shownBy: 'whole run',
        ...keeping((text) => !text.includes('"name"')),
      },
    ],
  ]),
]
