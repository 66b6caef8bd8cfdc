// How the questions about GET /pets/{petId}, and about all three operations together, are judged.
import {
  afterSound,
  noAnimals,
  type Tellings,
  tellings,
  whereScarce,
} from '../../engine/telling.ts'

const unknown = (what: string) =>
  [
    `One fetch of ${what}, after an animal that exists was answered 200.`,
    'Any status but 404.',
    afterSound.get,
  ] as const

const edges = (what: string) =>
  [
    `One fetch of the id ${what}, after an animal that exists was answered 200.`,
    'Anything but a 404, or a 200 with the animal of exactly that id.',
    afterSound.get,
  ] as const

const noId = (what: string) =>
  [
    `One fetch of ${what}, after an animal that exists was answered 200.`,
    'Anything but a 4xx answer.',
    afterSound.get,
  ] as const

const spelling = (what: string) =>
  [`One fetch of a known id ${what}.`, 'The status.', afterSound.get] as const

export const fetches: Tellings = tellings({
  'get-new-animal-200': [
    'A generated creation, and at once the fetch of its id with the same key.',
    'Any status but 200.',
    afterSound.create,
  ],
  'get-asked-before-created-200': [
    'Where ids count up or down in even steps: a fetch of the id that comes next, a creation, ' +
      'and at once the fetch of its id with the same key.',
    'The creation has that id, which was answered 404 before, and its fetch is not answered 200.',
    'another id was assigned, as where others create animals too (ambiguous); ids that do not ' +
      'count up are inapplicable',
  ],
  'get-animal-as-created': [
    'Up to three fetches, of what is most easily lost: the category that needs most room, the ' +
      'name with most unusual letters, the newest animal with a status. With a test clock, or a ' +
      'key of a plan larger than Free, 16 more with unusual names and categories.',
    'Any status but 200, or an id, name, category or status other than in its 201.',
    noAnimals,
  ],
  'get-id-own': [
    'One fetch of an animal that is known.',
    'Any status but 200, or an animal with another id.',
    afterSound.get,
  ],
  'pet-stays-oldest': [
    'One fetch of the first animal of the run, after all that was sent since.',
    'Any status but 200, or an animal that differs from what was known of it.',
    afterSound.get,
  ],
  'get-unknown-404': unknown('an id that no animal has, a large one by the seed'),
  'errors-unknown-animal-404': unknown('a negative id that no animal has, by the seed'),
  'get-id-not-truncated': [
    'One fetch of an id that becomes a known one where only 32 bits, or a double, are kept of it.',
    'Anything but a 404, or the animal of exactly that id.',
    'no known id has such a double (ambiguous)',
  ],
  'get-id-zero-404': edges('0'),
  'get-id-most-404': edges('2^63-1'),
  'get-id-least-404': edges('-2^63'),
  'get-id-beyond-int64-refused': noId('a known id plus 2^64, which a short integer wraps to it'),
  'get-id-word-refused': noId('`abc`'),
  'get-id-fraction-refused': noId('a known id with `.5` behind it'),
  'get-id-blank-refused': noId('a space (`%20`)'),
  'get-id-other-refused': [
    'Fetches of texts that upset parsers: a UUID, 400 digits, a broken escape, a NUL, bytes that ' +
      `are no UTF-8; one of them${whereScarce}.`,
    'Anything but a 4xx answer.',
    afterSound.get,
  ],
  'get-id-prefix-refused': [
    'One fetch of a known id with `abc` behind it.',
    'Anything but a 4xx answer. It is a should: reading the digits alone is a warning.',
    afterSound.get,
  ],
  'get-id-leading-zeros': spelling('with two zeros in front'),
  'get-id-plus': spelling('with a plus in front'),
  'get-id-point-zero': spelling('with `.0` behind it'),
  'stateful-list-add-fetch': [
    'Two sequences of four creations and four looks (a list, a fetch, an unknown id), one of ' +
      'them ' +
      'generated, in step with a model of what must be seen.',
    'The first step that contradicts the model: an animal missing or changed, too many or too ' +
      'few, ' +
      'another status. The sequence is made as short as still shows it. A new animal has a ' +
      'second ' +
      'to be listed.',
    'a creation is not answered 201 (blocked)',
  ],
})
