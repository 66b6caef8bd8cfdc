// How the sentences about every answer are judged: they send nothing themselves.
import { afterSound, type Telling, type Tellings, tellings } from '../../engine/telling.ts'

const atOwnPaths =
  'Every answer at a path of the interface, but to HEAD and OPTIONS and from below the API ' +
  '(408, 413, 414, 431; 400 to a broken escape or a strange `Authorization`) or from a ' +
  'proxy (502 and above)'
const ofKeys = 'Every answer to one of the three operations with a valid key, but 401, 403 and 5xx'
const served = 'Every 200 and 201 to a valid key'
const withJson = 'Every answer with a body at a path of the interface, but to HEAD and OPTIONS'

const headers = [
  ['limit', 'X-RateLimit-Limit'],
  ['remaining', 'X-RateLimit-Remaining'],
  ['reset', 'X-RateLimit-Reset'],
] as const

const ofHeaders: Tellings = Object.fromEntries(
  headers.flatMap(([name, header]): [string, Telling][] => [
    [
      `header-${name}-present`,
      { asks: `${atOwnPaths}.`, finds: `No header \`${header}\`.`, open: null },
    ],
    [
      `header-${name}-integer`,
      {
        asks: `Every answer below the base address that carries \`${header}\`.`,
        finds: 'The header is given twice, or is anything but decimal digits.',
        open: null,
      },
    ],
  ]),
)

const others = 'another client may have used the key (ambiguous)'
const unread =
  'no such body was read: each is longer than 1 MiB, nested more than 500 deep, or in an unknown ' +
  'coding (ambiguous)'
const animals = 'Every animal in a 200 or 201 that the interface lists'

export const answers: Tellings = {
  ...ofHeaders,
  ...tellings({
    'headers-elsewhere-present': [
      'Every answer at an address that the interface does not name, or from below the API; no ' +
        'redirects, HEAD or OPTIONS.',
      'One of the three headers is missing. It is a should.',
    ],
    'header-limit-of-plan': [
      `${ofKeys}.`,
      'A Limit that is neither the number per minute nor that per day of the plan of the key.',
    ],
    'header-remaining-bounds': [`${ofKeys}.`, 'A Remaining above Limit.'],
    'header-remaining-counts': [
      `${served}.`,
      'A Remaining that is not below Limit: the call itself was not counted.',
    ],
    'header-reset-unix-seconds': [
      `${ofKeys}.`,
      'A Reset without the ten digits of a Unix time in seconds: seconds to go, or milliseconds.',
    ],
    'header-reset-ahead': [
      `${ofKeys}; Reset is compared with the \`Date\` of the same answer.`,
      'A Reset more than 3 s before Date, or more than two windows and 5 s after it (but on a ' +
        '429, ' +
        'where it may tell the end of a ban).',
      'there is no Date, or Reset is right by the clock here and wrong by Date alone (ambiguous)',
    ],
    'window-served-most': [
      `${served}, by the Limit and Reset that they declare.`,
      'More of them under one Limit and one Reset than that Limit, and than what a bucket gives ' +
        'back up to a Reset that is its next token.',
    ],
    'limit-not-early': [
      'Every 429, beside the last answer before it that told how many remain; calls that were ' +
        'under way are taken off.',
      'A refusal within a second while calls remained: on two occasions (four by the test ' +
        'clock), ' +
        'or twice at the same number.',
      'it was seen too seldom, an answer was lost, the key may have been banned, or others use it',
    ],
    'refusal-remaining-zero': [
      'Every 429 that carries the three headers.',
      'A Remaining above 0. What a ban says of the quota is open.',
      others,
    ],
    'limit-not-late': [
      `${served}.`,
      'More than twice the number of the plan served in less than a minute or a day; or until ' +
        'one ' +
        'declared Reset more than the number and what a bucket gives back meanwhile.',
    ],
    'refills-minute-apart': [
      `${served}: refills, where Remaining went from a quarter of Limit or less to all but two ` +
        `of ` +
        'it in one step.',
      'Two of them less than a window (and 3 s of grace) apart.',
      'no key was spent and refilled twice, or it may have been banned (ambiguous)',
    ],
    'remaining-falls-by-one': [
      'Each two calls of a key, one straight after the other, of which the second was served.',
      'Remaining falls by the same number above one in four of five quick steps of one kind of ' +
        'call, and after a pause as well.',
      `it fell so now and then only: ${others}`,
    ],
    'remaining-rises-at-reset': [
      `${ofKeys} and 429, each next to earlier ones about the same window.`,
      'A Remaining above what any design could have given back before the Reset that was told: ' +
        'tokens, ticks of a tenth of the window, calls that leave a log.',
      'the count may lag a quarter of a second behind the calls (ambiguous)',
    ],
    'reset-not-moved-back': [
      'Each two served calls of a key, one straight after the other.',
      'On three occasions within one window a Reset more than 5 s before one that was given and ' +
        'has not come. It is a should.',
      'it was seen on fewer occasions, or a ban or another client explains it (ambiguous)',
    ],
    'date-advances': [
      'Every response to a valid key that carries `Date`, but 5xx and those with an `Age`.',
      'On three occasions a Date that is more than 10 s off the time that passed since an ' +
        'earlier one, with the moves of the test clock. It is a should.',
      'it was seen on fewer occasions, or the run took less than 10 s (ambiguous)',
    ],
    'body-media-type-json': [
      `${withJson}.`,
      'No `Content-Type`, or one that is not `application/json` (parameters and letter case are ' +
        'free); given twice, each has to be.',
    ],
    'body-coding-identity': [
      `${withJson}. Each request asks for \`Accept-Encoding: identity\`.`,
      'A `Content-Encoding` all the same. It is a should: gzip, deflate, br and zstd are ' +
        'decoded, and the body is then judged by the other checks.',
    ],
    'body-strict-json': [
      `${withJson}.`,
      'A body that a strict parser refuses, that is not in the coding it names, that is no UTF-8 ' +
        'or begins with a byte order mark.',
      unread,
    ],
    'list-body-array': ['Every 200 to a list.', 'A body that is no array of objects.', unread],
    'list-length-most': [
      'Every 200 to a list, sound or not.',
      'More than 100 animals, whatever was asked for.',
    ],
    'pet-fields': [
      `${animals}.`,
      'No `name` that is a string, or no `categoryId` that is an int64. Further members are legal.',
    ],
    'pet-id-int64': [`${animals}.`, 'No `id`, or one that is no int64 integer.'],
    'pet-status-listed': [
      `${animals}, where it has a \`status\`.`,
      'A status that is none of the three, null included.',
    ],
    'pet-state-known': [
      `${animals}, where it has a \`status\`.`,
      'A status that is none of the three states, null included.',
    ],
    'answer-no-5xx': [
      'Every answer at a path of the interface, sound or not.',
      'A 5xx; but 501 to a method that the path does not have, or to the removed operation.',
    ],
    'answer-no-5xx-elsewhere': [
      'Every answer below the base address at an address that the interface does not name.',
      'A 5xx but 501. It is a should: the interface says nothing of such addresses.',
    ],
    'get-deprecation-header-date': [
      'Every answer to a fetch that carries `Deprecation`; without one it is inapplicable.',
      'More than one, no date in the form `@1764892800`, or one after the removal. It is a should.',
    ],
    'get-sunset-header-date': [
      'Every answer to a fetch that carries `Sunset`; without one it is inapplicable.',
      'More than one, no HTTP-date, or one outside 5 December 2030. It is a should.',
    ],
    'headers-window': [
      'Sends nothing: it looks at the sound list.',
      'Whether Limit is the number of the minute, of the day, or neither.',
      afterSound.list,
    ],
  }),
}
