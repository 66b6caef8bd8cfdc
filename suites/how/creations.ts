// How the refusals of POST /pets are judged: one fault in an otherwise sound creation.
import {
  afterSound,
  type Telling,
  type Tellings,
  tellings,
  whereScarce,
} from '../../engine/telling.ts'

/** What the body has, or lacks, in words. */
const answered400: Readonly<Record<string, string>> = {
  'create-name-missing-400': 'without `name`',
  'create-category-missing-400': 'without `categoryId`',
  'create-empty-object-400': 'whose body is `{}`',
  'create-name-number-400': 'whose `name` is the number 1',
  'create-name-null-400': 'whose `name` is null',
  'create-name-array-400': 'whose `name` is `["Rex"]`',
  'create-category-string-400': 'whose `categoryId` is the text `"1"`',
  'create-category-boolean-400': 'whose `categoryId` is true',
  'create-category-null-400': 'whose `categoryId` is null',
  'create-category-object-400': 'whose `categoryId` is `{"id": 1}`',
  'create-category-fraction-400': 'whose `categoryId` is 1.5',
  'create-category-above-int64-400': 'whose `categoryId` is 2^63, one more than int64 holds',
  'create-category-forty-digits-400': 'whose `categoryId` is 10^39',
  'create-status-other-word-400': 'whose `status` is `asleep`',
  'create-status-upper-case-400': 'whose `status` is `AVAILABLE`',
  'create-status-blank-400': 'whose `status` is the empty text',
  'create-status-with-space-400': 'whose `status` is ` sold`, with a space in front',
  'create-body-array-400': 'whose body is a sound animal in an array',
  'create-body-text-400': 'whose body is the JSON text `"Rex"`',
  'create-body-null-400': 'whose body is `null`',
  'create-body-missing-400': 'without a body',
  'create-body-truncated-400': 'whose body lacks its last brace',
  'create-body-words-400': 'whose body is `Rex the dog`',
}

const tooLarge: Readonly<Record<string, string>> = {
  'create-body-deep-refused': 'whose `name` is an array nested 10,000 deep',
  'create-body-large-refused': 'without `name`, and with 300,000 spaces in front of its body',
}

const lenient: Readonly<Record<string, string>> = {
  'create-body-trailing-comma-refused': 'with a comma behind its last member',
  'create-body-comment-refused': 'with a comment in its body',
  'create-body-text-after-refused': 'with the word Rex behind its body',
  'create-body-unquoted-member-400': 'whose body has `name` without its quotes',
  'create-body-invalid-utf8-400': 'with a byte 0xff inside its name',
}

const faults = (ways: Readonly<Record<string, string>>, finds: string): [string, Telling][] =>
  Object.entries(ways).map(([id, way]) => {
    const asks = `One creation ${way}, after a sound one was answered 201.`
    return [id, { asks, finds, open: afterSound.create }]
  })

export const refusedCreations: Tellings = {
  ...Object.fromEntries([
    ...faults(answered400, 'Any status but 400.'),
    ...faults(tooLarge, 'Any status but 400 and 413: it is taken, or the server breaks on it.'),
    ...faults(lenient, 'Anything but a 4xx answer. It is a should: a lenient parser is a warning.'),
  ]),
  ...tellings({
    'create-other-fault-400': [
      '36 creations with one fault each: values of other types, members in another letter case, ' +
        'numbers that are none, bodies that are no JSON or no object; three of ' +
        `them${whereScarce}.`,
      'Any status but 400 to one of them. The fault is named.',
      afterSound.create,
    ],
    'create-body-huge-refused': [
      'A creation without `name`, with 11 MiB of spaces in front of its body; with a test clock, ' +
        'or a key of a plan larger than Free, with 1.5 and 3 MiB too.',
      'Any status but 400 and 413.',
      'the connection ended while the body was on its way, so that a refusal may have been lost ' +
        '(ambiguous)',
    ],
    'create-refused-no-trace': [
      'One `GET /pets?limit=100` after the creations that were to be refused, once it shows the ' +
        'newest animal of this run. Each of them had a name of its own, those without a valid ' +
        'key as well.',
      'An animal in it that no 201 announced and that carries the name of a refused creation; ' +
        'where the name was the fault, its category.',
      'nothing was refused yet (blocked), or the list holds 100 animals and may hide one ' +
        '(ambiguous)',
    ],
  }),
}
