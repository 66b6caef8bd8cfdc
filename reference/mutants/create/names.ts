// Faults of names: what encoders, columns and sanitizers do to them.
import { refuse } from '../../message.ts'
import { caughtBy, type Mutant } from '../../mutant.ts'
import { coercing, refusing, storingName } from '../../seams/pets.ts'

type Row = readonly [id: string, fault: string, change: (name: string) => string]

const asAscii = (name: string) => Buffer.from(name, 'utf8').toString('latin1')

const changed: readonly Row[] = [
  ['name-lower-cased', 'Names are normalised for searching.', (name) => name.toLowerCase()],
  ['name-composed', 'Names are brought into the form NFC.', (name) => name.normalize('NFC')],
  ['name-compatible', 'Names are brought into the form NFKC.', (name) => name.normalize('NFKC')],
  ['name-cut-at-50', 'The column holds 50 characters.', (name) => name.slice(0, 50)],
  ['name-cut-at-99', 'The column holds 100 bytes, its end included.', (name) => name.slice(0, 99)],
  [
    'name-cut-at-255-bytes',
    'The column holds 255 bytes.',
    (name) => Buffer.from(name).subarray(0, 255).toString(),
  ],
  ['name-latin1', 'A connection takes UTF-8 for Latin-1.', asAscii],
  [
    'name-without-emoji',
    'The column takes three bytes to a character, and drops what needs four.',
    (name) => name.replace(/[\u{10000}-\u{10ffff}]/gu, ''),
  ],
  [
    'name-emoji-as-question-marks',
    'What the column cannot hold becomes a question mark.',
    (name) => name.replace(/[\u{10000}-\u{10ffff}]/gu, '?'),
  ],
  [
    'name-joiners-lost',
    'Characters that are not seen are removed.',
    (name) => name.replace(/\u200d/g, ''),
  ],
  [
    'name-html-escaped',
    'Names are escaped where they come in, and not where a page shows them.',
    (name) => name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  ],
  [
    'name-without-tags',
    'What looks like a tag is removed.',
    (name) => name.replace(/<[^>]*>/g, ''),
  ],
  [
    'name-quotes-doubled',
    'Quotes are escaped for SQL by hand.',
    (name) => name.replace(/'/g, "''"),
  ],
  ['name-spaces-collapsed', 'Runs of spaces become one.', (name) => name.replace(/ {2,}/g, ' ')],
  [
    'name-percent-decoded',
    'Names are decoded as if they came from a form.',
    (name) => name.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16))),
  ],
  [
    'name-backslashes-lost',
    'Names pass through one more reading of escapes.',
    (name) => name.replaceAll('\\', ''),
  ],
]

const kept: readonly Mutant[] = changed.map(([id, fault, change]) => ({
  id,
  caughtBy: 'create-name-ordinary-kept',
  fault,
  ...storingName(change),
}))

const invalid = 'The name is not valid.'

const taken: readonly Mutant[] = (
  [
    ['name-ascii-only', 'Only letters of ASCII are valid.', (name) => /^[ -~]*$/.test(name)],
    [
      'name-at-most-64',
      'Names of more than 64 characters are refused.',
      ({ length }) => length <= 64,
    ],
    [
      'name-at-most-100-units',
      'An emoji counts as two of the 100 characters.',
      ({ length }) => length <= 100,
    ],
    ['name-at-least-2', 'Names of one character are refused.', ({ length }) => length > 1],
    [
      'name-sql-refused',
      'A firewall refuses what looks like SQL.',
      (name) => !/drop table/i.test(name),
    ],
    ['name-null-word-refused', 'The word null counts as no name.', (name) => name !== 'null'],
  ] satisfies readonly (readonly [string, string, (name: string) => boolean])[]
).map(([id, fault, isTaken]) => ({
  id,
  caughtBy: 'create-name-ordinary-kept',
  fault,
  ...refusing(400, ({ name }) => isTaken(name), invalid),
}))

const extreme: readonly Mutant[] = (
  [
    ['name-cut-at-nul', 'A name ends at the first NUL.', (name) => name.split('\0', 1)[0] ?? ''],
    ['name-cut-at-255', 'The column holds 255 characters.', (name) => name.slice(0, 255)],
    ['name-empty-replaced', 'An animal without a name gets one.', (name) => name || 'unnamed'],
    [
      'name-controls-removed',
      'Control characters are removed.',
      (name) => [...name].filter((letter) => letter >= ' ').join(''),
    ],
  ] satisfies readonly Row[]
).map(([id, fault, change]) => ({
  id,
  caughtBy: 'create-name-extreme-kept',
  fault,
  ...storingName(change),
}))

/** What a loosely typed language makes a string of. */
const ofType: readonly Mutant[] = (
  [
    ['name-number-taken', 'create-name-number-400', (name) => typeof name === 'bigint'],
    ['name-null-taken', 'create-name-null-400', (name) => name === null],
    ['name-array-taken', 'create-name-array-400', (name) => Array.isArray(name)],
  ] satisfies readonly (readonly [string, string, (name: unknown) => boolean])[]
).map(([id, caughtBy, isTaken]) => ({
  id,
  caughtBy,
  fault: 'A name of another type is turned into a string.',
  ...coercing('name', (name) => (isTaken(name) ? String(name) : name)),
}))

export const nameMutants: readonly Mutant[] = [
  ...kept,
  ...taken,
  {
    id: 'name-trimmed',
    caughtBy: 'create-name-trailing-space-kept',
    fault: 'Spaces at both ends are cut off.',
    ...storingName((name) => name.trim()),
  },
  {
    id: 'name-left-trimmed',
    caughtBy: 'create-name-leading-space-kept',
    fault: 'Spaces at the beginning are cut off.',
    ...storingName((name) => name.trimStart()),
  },
  ...extreme,
  ...ofType,
  ...caughtBy('create-name-missing-400', [
    [
      'name-optional',
      'An animal without a name gets an empty one.',
      coercing('name', (name) => name ?? ''),
    ],
    [
      'name-missing-422',
      'A missing member is answered 422, as a framework has it.',
      {
        parts: ({ readNewPet }) => ({
          readNewPet: (request) => {
            const reading = readNewPet(request)
            const isMissing =
              'refusal' in reading && reading.refusal.message.startsWith('name is req')
            return isMissing ? refuse(422, 'invalid_body', reading.refusal.message) : reading
          },
        }),
      },
    ],
  ]),
]
