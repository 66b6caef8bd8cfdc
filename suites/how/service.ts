// How the questions about addresses, methods, errors, versions and the removal are judged.
import {
  afterSound,
  noAnimals,
  type Telling,
  type Tellings,
  tellings,
} from '../../engine/telling.ts'

const addresses = Object.fromEntries(
  ['store', 'animals', 'domains', 'projects'].map((name): [string, Telling] => [
    `address-${name}-4xx`,
    {
      asks: `One \`GET /${name}\` below the base address, with a valid key.`,
      finds: 'A 2xx answer: then something stands there.',
      open: 'it is answered neither 2xx nor 4xx (ambiguous)',
    },
  ]),
)

const spellings = Object.fromEntries(
  [
    ['slash-at-end', '/pets/'],
    ['slash-doubled', '//pets'],
    ['upper-case', '/PETS'],
    ['percent-escape', '/%70ets'],
  ].map(([name, path]): [string, Telling] => [
    `address-${name}`,
    { asks: `One \`GET ${path}\` with a valid key.`, finds: 'The status.', open: afterSound.list },
  ]),
)

const methods = Object.fromEntries(
  [
    ['put', 'list', 'a sound body'],
    ['patch', 'list', 'a sound body'],
    ['delete', 'list', 'no body'],
    ['put', 'animal', 'a sound body'],
    ['patch', 'animal', 'a sound body'],
    ['delete', 'animal', 'no body'],
    ['post', 'animal', 'a sound body'],
  ].map(([method = '', at, body]): [string, Telling] => {
    const where = at === 'list' ? '`/pets`' : 'the address of an animal that this run created'
    return [
      `method-${method}-${at}-refused`,
      {
        asks: `One ${method.toUpperCase()} at ${where}, with ${body} and a valid key.`,
        finds: 'Anything but a 4xx answer or 501.',
        open: afterSound.create,
      },
    ]
  }),
)

const openMethods = Object.fromEntries(
  ['head', 'options'].map((method): [string, Telling] => [
    `method-${method}-list`,
    {
      asks: `One ${method.toUpperCase()} at \`/pets\` with a valid key.`,
      finds: 'The status.',
      open: afterSound.list,
    },
  ]),
)

const prefix = [
  'Sends nothing: it looks at the address at which the sound list was answered 200.',
  'A path that does not end in `/v1/pets`.',
  afterSound.list,
] as const

const removed =
  'Any status but 404, 410 and 501 to an animal that was fetched before. The 5th itself is not ' +
  'judged.'

const evening = 'the clock stands past 4 December 2030 already: restart the target (clock)'

const replacement = (when: string) =>
  [
    `With the clock ${when}, one \`GET /pets?limit=100&status=available\`.`,
    'Any status but 200, no animal though some are known, or one of another status.',
    noAnimals,
  ] as const

const creation = (when: string) =>
  [
    `With the clock ${when}, one sound creation.`,
    'Any status but 201, or another name than was sent.',
    afterSound.create,
  ] as const

export const service: Tellings = {
  ...addresses,
  ...spellings,
  ...methods,
  ...openMethods,
  ...tellings({
    'address-nonsense-not-2xx': [
      'One `GET /petvet-nonsense-SEED` with a valid key.',
      'A 2xx answer. It is a should: whoever misspells an address should be told.',
      afterSound.list,
    ],
    'method-405-allow': [
      'Every answer 405 at a path of the interface.',
      'No `Allow`, or at `/pets` one without GET and POST. It is a should: HTTP asks for it.',
      'no method was answered 405 (ambiguous)',
    ],
    'version-prefix-v2': [
      'The list without a key under `/v2` in place of `/v1`.',
      'The status.',
      afterSound.list,
    ],
    'version-prefix-none': [
      'The list without a key and without `/v1`.',
      'The status.',
      afterSound.list,
    ],
    'base-address-version-prefix': prefix,
    'version-prefix-v1': prefix,
    'error-shape': [
      'Every 4xx answer at a path of the interface but 405 and 429; none to HEAD or OPTIONS, and ' +
        'none from below the API (408, 413, 414, 431; 400 to a broken escape, to two ' +
        '`Authorization` headers or to one beyond ASCII).',
      'A body that is no JSON object with `code`, `message` and `status` of their types.',
    ],
    'error-shape-elsewhere': [
      'The 4xx answers that `error-shape` leaves out: at other addresses, 405, from below the API.',
      'A body without the Error shape, or whose `status` is another. It is a should.',
    ],
    'error-code-string': ['The answers of `error-shape`.', 'A `code` that is no string.'],
    'error-message-string': ['The answers of `error-shape`.', 'A `message` that is no string.'],
    'error-status-of-answer': [
      'The answers of `error-shape`.',
      'A `status` in the body that is not that of the answer.',
    ],
    'error-code-stable': [
      'Every 401 to a request with no key at all, and every 404 to a fetch of an unknown id.',
      'Another `code` than the first answer to the same fault had. It is a should.',
    ],
    'error-no-internals': [
      'Every answer from 400 on: the texts of its body, but for what the request had sent.',
      'A stack trace, a path of a file system, SQL or the message of a database, by patterns ' +
        'that ' +
        'no honest message matches. It is a should.',
    ],
    'error-codes': [
      'One list without a key, and a 400 that the run has seen.',
      'The `code` of each.',
      afterSound.list,
    ],
    'get-deprecation-sent': [
      'Sends nothing: it looks at the fetch of an animal that exists.',
      'Which of `Deprecation` and `Sunset` it carries.',
      afterSound.get,
    ],
    'pet-stays-over-time': [
      'The fetch of the oldest animal known, and a list of each status, an hour later and a day ' +
        'later by the test clock.',
      'Any status but 200 to the fetch, or an animal that differs from what was known of it.',
      evening,
    ],
    'get-last-evening-200': [
      'The fetch of an animal with the clock at 23:00 UTC on 4 December 2030.',
      'Any status but 200, or another id.',
      evening,
    ],
    'list-last-evening-200': replacement('at 23:00 UTC on 4 December 2030'),
    'create-last-evening-201': creation('at 23:00 UTC on 4 December 2030'),
    'list-after-removal-200': replacement('a second into 6 December 2030'),
    'create-after-removal-201': creation('a second into 6 December 2030'),
    'version-deprecated-until-removal': [
      'The oldest animal, fetched before, with the clock a second into 6 December 2030.',
      removed,
      afterSound.get,
    ],
    'get-after-removal-gone': [
      'An animal, fetched before, with the clock a second into 6 December 2030.',
      removed,
      afterSound.get,
    ],
  }),
}
