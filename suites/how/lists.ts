// How the questions about GET /pets are judged.
import {
  afterSound,
  noAnimals,
  type Tellings,
  tellings,
  whereScarce,
} from '../../engine/telling.ts'

const oneList = (query: string): string =>
  `One \`GET /pets?${query}\`, after a sound list was answered 200.`

const recordsCount = 'The status; of a 200, how many animals it holds.'
const recordsStatuses = 'The status; of a 200, which statuses its animals have.'

const limits: Readonly<Record<string, string>> = {
  'list-limit-zero': 'limit=0',
  'list-limit-negative': 'limit=-1',
  'list-limit-101': 'limit=101',
  'list-limit-beyond-int32': 'limit=2147483648',
  'list-limit-beyond-int64': 'limit=9223372036854775808',
  'list-limit-very-long': 'limit=999... (400 digits)',
  'list-limit-fraction': 'limit=1.5',
  'list-limit-exponent': 'limit=1e1',
  'list-limit-blank': 'limit=',
  'list-limit-text': 'limit=ten',
  'list-limit-twice': 'limit=1&limit=200',
  'list-parameter-unknown': 'limit=2&colour=red',
  'list-parameter-paging': 'limit=2&offset=1&page=2&cursor=x',
}

const filters: Readonly<Record<string, string>> = {
  'list-status-other-word': 'limit=100&status=asleep',
  'list-status-upper-case': 'limit=100&status=AVAILABLE',
  'list-status-blank': 'limit=100&status=',
  'list-status-two-in-one': 'limit=100&status=available,sold',
  'list-status-twice': 'limit=100&status=available&status=sold',
}

const strange = (queries: Readonly<Record<string, string>>, records: string): Tellings =>
  tellings(
    Object.fromEntries(
      Object.entries(queries).map(([id, query]) => [
        id,
        [oneList(query), records, afterSound.list],
      ]),
    ),
  )

const statuses = ['available', 'pending', 'sold'] as const

const emptyList = 'the list is empty, so nothing in it could break the sentence'
const fewer =
  'Fewer distinct animals than the smaller of the limit and the number known to match: those ' +
  'that this run created or has seen, with this key or with one whose animals it is shown. A ' +
  'list short of a new animal is asked again a second later.'

const ofStatus: Tellings = Object.assign(
  {},
  ...statuses.map((status) =>
    tellings({
      [`list-status-${status}-only`]: [
        `One \`GET /pets?status=${status}\`.`,
        `An animal in it whose status is not exactly \`${status}\`, or that has none.`,
        emptyList,
      ],
      [`list-status-${status}-all`]: [
        `One \`GET /pets?limit=100&status=${status}\`, and once more where an animal is too new.`,
        `An animal known to be ${status} that is missing, though the list holds fewer than 100.`,
        'the list holds 100 animals, so it may be cut (ambiguous)',
      ],
    }),
  ),
)

export const lists: Tellings = {
  ...strange(limits, recordsCount),
  ...strange(filters, recordsStatuses),
  ...ofStatus,
  ...tellings({
    'list-sound-200': [
      'One `GET /pets?limit=50&status=pending`, before the run has made many animals.',
      'Any status but 200, or a body that is no array of animals.',
      'the list is empty and no sound creation is answered 201: an empty list alone proves little',
    ],
    'list-accept-several-200': [
      'One `GET /pets?limit=1` with `Accept: text/html, application/json;q=0.9`.',
      'Any status but 200, or a body that is no array.',
      afterSound.list,
    ],
    'list-limit-bounds-200': [
      '`GET /pets` with `limit=1` and with `limit=100`.',
      'Any status but 200, or more animals than the limit.',
      emptyList,
    ],
    'list-limit-most': [
      'One `GET /pets?limit=2`.',
      'More animals than the limit; the smallest limit that shows it is looked for.',
      `${emptyList}; or there is one animal, of which a limit of 2 cuts none`,
    ],
    'list-limit-no-fewer': [
      '`GET /pets` with `limit=100` and with a generated limit.',
      fewer,
      noAnimals,
    ],
    'list-limit-edges-exact': [
      `\`GET /pets\` with the limits 1, 19, 20, 21 and 99; with 1 alone${whereScarce}.`,
      `More animals than the limit. ${fewer}`,
      noAnimals,
    ],
    'list-limit-status-no-fewer': [
      '`GET /pets?limit=N&status=sold` with `N` as many as are known to be sold, the same with ' +
        `19 and pending, and with 21 and available; one of the three${whereScarce}.`,
      `More than the limit. ${fewer}`,
      noAnimals,
    ],
    'list-status-default': [
      `\`GET /pets?status=...\` without a limit, for each of the three; for one${whereScarce}.`,
      `More than 20 animals. ${fewer} The limit counts as 20.`,
      `${noAnimals}, or at most 20 with the status, so that nothing could be cut`,
    ],
    'list-limit-default': [
      'One `GET /pets` without a limit.',
      `More than 20 animals. ${fewer} The limit counts as 20.`,
      `${noAnimals}, or fewer than 20, so that nothing could be cut`,
    ],
    'list-new-animal-found': [
      'A creation with the status pending, and then `GET /pets?limit=100&status=pending`, asked ' +
        'again when the animal is a second old.',
      'The new animal is not listed, though the list holds fewer than 100.',
      'the list is full, so it may be cut (ambiguous), or the creation is not answered 201 ' +
        '(blocked)',
    ],
    'list-animal-as-created': [
      'One `GET /pets?limit=100`; its animals are compared with what their 201 showed.',
      'An id, name, category or status that was sent and comes back otherwise. Spaces at the ' +
        'ends ' +
        'of a name, and the spelling of half a surrogate pair, are left to other checks.',
      'no listed animal is one of this run (ambiguous)',
    ],
    'list-order': [
      'One `GET /pets?limit=99`.',
      'Whether the ids rise, fall, or do neither.',
      'fewer than three animals are listed',
    ],
    'list-query-other-answered': [
      'Four queries that upset decoders: bytes that are no UTF-8, a broken percent-escape, ' +
        `\`status[]=sold\`, and \`limit[a]=1\`; one of them${whereScarce}.`,
      'A 5xx answer. A 4xx is as good as a list.',
      'it is answered neither 4xx nor with a list (ambiguous)',
    ],
  }),
}
