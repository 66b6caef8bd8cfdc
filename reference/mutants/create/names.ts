// Faults of names: what encoders, columns and sanitizers do to them.

import { refuse } from '../../message.ts'
import { caughtBy, family, type Mutant } from '../../mutant.ts'
import { together, type Variant } from '../../variant.ts'
import { onOperation, serverError } from '../../wrappers/middleware.ts'
import { coercing, reading, refusing, storing } from '../../wrappers/pet-store.ts'

const storingName = (change: (name: string) => string): Variant =>
  storing((pet) => ({ ...pet, name: change(pet.name) }))

const asAscii = (name: string) => Buffer.from(name, 'utf8').toString('latin1')

const taking = (isTaken: (name: string) => boolean) =>
  refusing(({ name }) => isTaken(name), 'The name is not valid.')

/** Values that a loosely typed language converts to strings. */
const converting = (isTaken: (name: unknown) => boolean) =>
  coercing('name', (name) => (isTaken(name) ? String(name) : name))
const converted = 'A name of another JSON type is converted to a string.'

export const nameMutants: readonly Mutant[] = [
  ...family(storingName).caughtBy('create-name-ordinary-kept', {
    'name-lower-cased': ['Names are converted to lower case.', (name) => name.toLowerCase()],
    'name-composed': ['Names are normalized to NFC.', (name) => name.normalize('NFC')],
    'name-compatible': ['Names are normalized to NFKC.', (name) => name.normalize('NFKC')],
    'name-cut-at-50': ['Names are cut after 50 characters.', (name) => name.slice(0, 50)],
    'name-cut-at-99': ['Names are cut after 99 characters.', (name) => name.slice(0, 99)],
    'name-cut-at-255-bytes': [
      'Names are cut after 255 bytes.',
      (name) => Buffer.from(name).subarray(0, 255).toString(),
    ],
    'name-latin1': ['UTF-8 names are read as Latin-1.', asAscii],
    'name-without-emoji': [
      'Emoji in names are dropped: the column holds three bytes per character.',
      (name) => name.replace(/[\u{10000}-\u{10ffff}]/gu, ''),
    ],
    'name-emoji-as-question-marks': [
      'Emoji in names become question marks.',
      (name) => name.replace(/[\u{10000}-\u{10ffff}]/gu, '?'),
    ],
    'name-joiners-lost': [
      'Zero-width joiners in names are removed.',
      (name) => name.replace(/\u200d/g, ''),
    ],
    'name-html-escaped': [
      'Names are escaped for HTML when they are stored.',
      (name) => name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    ],
    'name-without-tags': ['Tags in names are removed.', (name) => name.replace(/<[^>]*>/g, '')],
    'name-quotes-doubled': [
      'Quotes in names are doubled, as for SQL.',
      (name) => name.replace(/'/g, "''"),
    ],
    'name-spaces-collapsed': [
      'Repeated spaces in names become one.',
      (name) => name.replace(/ {2,}/g, ' '),
    ],
    'name-percent-decoded': [
      'Names are percent-decoded.',
      (name) =>
        name.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16))),
    ],
    'name-backslashes-lost': [
      'Backslashes in names are lost.',
      (name) => name.replaceAll('\\', ''),
    ],
  }),
  ...family(taking).caughtBy('create-name-ordinary-kept', {
    'name-ascii-only': [
      'Names with characters that are not ASCII are refused.',
      (name) => /^[ -~]*$/.test(name),
    ],
    'name-at-most-64': [
      'Names of more than 64 characters are refused.',
      ({ length }) => length <= 64,
    ],
    'name-at-most-100-units': [
      'An emoji counts as two of the 100 characters of a name.',
      ({ length }) => length <= 100,
    ],
    'name-at-least-2': ['Names of one character are refused.', ({ length }) => length > 1],
    'name-sql-refused': [
      'A firewall refuses names that look like SQL.',
      (name) => !/drop table/i.test(name),
    ],
    'name-null-word-refused': ['The name `null` is refused.', (name) => name !== 'null'],
  }),
  ...caughtBy('create-name-outer-space-kept', {
    'name-trimmed': [
      'Spaces at both ends of names are removed.',
      storingName((name) => name.trim()),
    ],
    'name-left-trimmed': [
      'Spaces at the start of names are removed.',
      storingName((name) => name.trimStart()),
    ],
  }),
  ...family(storingName).caughtBy('create-name-extreme-kept', {
    'name-cut-at-nul': ['Names are cut at the first NUL.', (name) => name.split('\0', 1)[0] ?? ''],
    'name-cut-at-255': ['Names are cut after 255 characters.', (name) => name.slice(0, 255)],
    'name-empty-replaced': ['An empty name becomes `unnamed`.', (name) => name || 'unnamed'],
    'name-controls-removed': [
      'Control characters in names are removed.',
      (name) => [...name].filter((letter) => letter >= ' ').join(''),
    ],
  }),
  ...family(converting).each({
    'name-number-taken': ['create-name-number-400', converted, (name) => typeof name === 'bigint'],
    'name-null-taken': ['create-name-null-400', converted, (name) => name === null],
    'name-array-taken': ['create-name-array-400', converted, (name) => Array.isArray(name)],
  }),
  ...caughtBy('create-name-missing-400', {
    'name-optional': [
      'A missing name becomes an empty one.',
      coercing('name', (name) => name ?? ''),
    ],
    'name-missing-422': [
      'A missing name gets 422 instead of 400.',
      reading((read) =>
        'refusal' in read && read.refusal.message.startsWith('name is req')
          ? refuse(422, 'invalid_body', read.refusal.message)
          : read,
      ),
    ],
  }),
  ...caughtBy('create-lone-surrogate-list-200', {
    'name-unencodable-fails-lists': [
      'A name with a lone surrogate is stored, and each list that has it gets 500.',
      together(
        coercing('name', (name) =>
          typeof name === 'string' ? name.replace('\ud800', '\ue000') : name,
        ),
        onOperation('listPets', (response) =>
          response.body.includes('\ue000') ? serverError(response) : response,
        ),
      ),
    ],
  }),
]
