// Faults of ids and names, and of how a pet is printed: what encoders, columns and sanitizers do.

import { printJson } from '../../json.ts'
import { refuse } from '../../message.ts'
import { makePet, type NewPet, type Pet } from '../../store.ts'
import { caughtBy, each, family, together, type Variant } from '../../variant.ts'
import { onOperation, serverError } from '../../wrappers/middleware.ts'
import {
  allPets,
  coercing,
  inStore,
  memberIn,
  reading,
  refusing,
  rounding,
  showing,
  storing,
} from '../../wrappers/pet-store.ts'

const storingName = (change: (name: string) => string): Variant =>
  storing((pet) => ({ ...pet, name: change(pet.name) }))

const names = family(storingName, 'Names')

const refusingNames = family(
  (isTaken: (name: string) => boolean) => refusing(({ name }) => isTaken(name)),
  'It refuses names',
)

/** Values that a loosely typed language converts to strings. */
const converting = (isTaken: (name: unknown) => boolean) =>
  coercing('name', (name) => (isTaken(name) ? String(name) : name))
const converted = 'A name of another JSON type is converted to a string.'

/** Uses the id in the body, if `isTaken`, as `read` takes it. */
const honouring = (isTaken: (isKnown: boolean) => boolean, read = (id: bigint) => id): Variant =>
  together(
    reading((found, request) => {
      const id = memberIn(request, 'id')
      if ('value' in found && typeof id === 'bigint') Object.assign(found.value, { id: read(id) })
      return found
    }),
    inStore((store) => {
      const own = new Map<bigint, Pet>()
      return {
        add: (fields: Partial<Pet> & NewPet) => {
          const pet = store.add(fields)
          const { id } = fields
          if (id === undefined || !isTaken(store.get(id) !== undefined)) return pet
          const moved = makePet(id, fields)
          own.set(id, moved)
          return moved
        },
        get: (id) => own.get(id) ?? store.get(id),
      }
    }),
  )

const isNew = (isKnown: boolean): boolean => !isKnown

export const idMutants = [
  ...names.caughtBy('create-each-echoed', {
    'name-lower-cased': ['are converted to lower case', (name) => name.toLowerCase()],
    'name-composed': ['are normalized to NFC', (name) => name.normalize('NFC')],
    'name-cut-at-50': ['are cut after 50 characters', (name) => name.slice(0, 50)],
    'name-cut-at-99': ['are cut after 99 characters', (name) => name.slice(0, 99)],
    'name-latin1': ['are read as Latin-1', (name) => Buffer.from(name).toString('latin1')],
    'name-without-emoji': [
      'lose emoji: the column holds three bytes per character',
      (name) => name.replace(/[\u{10000}-\u{10ffff}]/gu, ''),
    ],
    'name-html-escaped': [
      'are escaped for HTML when they are stored',
      (name) => name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    ],
    'name-replacement-expanded': [
      'go through a replacement in which $& means what was found',
      (name) => name.replaceAll('$&', 'name'),
    ],
    'name-formula-quoted': [
      'that a spreadsheet takes for a formula get an apostrophe in front',
      (name) => name.replace(/^[=+@-]/, "'$&"),
    ],
    'name-spaces-collapsed': ['get single spaces', (name) => name.replace(/ {2,}/g, ' ')],
    'name-percent-decoded': [
      'are percent-decoded',
      (name) =>
        name.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16))),
    ],
  }),
  ...refusingNames.caughtBy('create-name-scripts-201', {
    'name-ascii-only': ['beyond ASCII', (name) => /^[ -~]*$/.test(name)],
    'name-at-most-64': ['of more than 64 characters', ({ length }) => length <= 64],
    'name-at-most-100-units': ['of over 100 UTF-16 units', ({ length }) => length <= 100],
  }),
  ...refusingNames.caughtBy('create-name-markup-201', {
    'name-sql-refused': [
      'that look like SQL',
      (name) => !/\bselect \d/i.test(name),
      { condition: 'with " SELECT 1" in the name' },
    ],
    'name-number-of-body-refused': [
      'with a long number after a colon, comma or bracket: it is quoted before the body is parsed',
      (name) => !/[:,[]\s*-?\d{16}/.test(name),
      { condition: '"[9007199254740993" in the name' },
    ],
  }),
  ...refusingNames.caughtBy('create-name-words-201', {
    'name-at-least-2': ['of one character', ({ length }) => length > 1],
    'name-null-word-refused': ['such as `null`', (name) => name !== 'null'],
  }),
  ...each({
    'name-left-trimmed @ create-name-outer-space-kept': [
      'Spaces at the start of names are removed.',
      storingName((name) => name.trimStart()),
    ],
    'name-unencodable-fails-lists @ create-lone-surrogate-list-200': [
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
    'creation-unique-name @ create-equal-bodies-201': [
      'A name that exists already is refused.',
      reading((read, _request, { store }) => {
        const isName = ({ name }: Pet) => 'value' in read && name === read.value.name
        const isKnown = store.list(undefined, allPets).some(isName)
        return isKnown ? refuse(409, 'invalid_body', 'It exists.') : read
      }),
    ],
  }),
  ...names.caughtBy('create-name-extreme-kept', {
    'name-cut-at-nul': ['are cut at the first NUL', (name) => name.split('\0', 1)[0] ?? ''],
    'name-cut-at-255': ['are cut after 255 characters', (name) => name.slice(0, 255)],
    'name-empty-replaced': ['that are empty become `unnamed`', (name) => name || 'unnamed'],
    'name-controls-removed': ['lose control characters', (name) => name.replace(/\p{Cc}/gu, '')],
  }),
  ...family(converting).each({
    'name-number-taken @ create-name-number-400': [converted, (name) => typeof name === 'bigint'],
    'name-null-taken @ create-name-null-400': [converted, (name) => name === null],
    'name-array-taken @ create-name-array-400': [converted, (name) => Array.isArray(name)],
  }),
  ...caughtBy('create-name-missing-400', {
    'name-optional': ['A missing name becomes empty.', coercing('name', (name) => name ?? '')],
    'name-missing-422': [
      'A missing name gets 422 instead of 400.',
      reading((read) =>
        'refusal' in read && read.refusal.message.startsWith('name is req')
          ? refuse(422, 'invalid_body', read.refusal.message)
          : read,
      ),
    ],
  }),
  ...caughtBy('create-id-assigned', {
    'id-of-body-taken': ['An id in the body is used for the new pet.', honouring(isNew)],
    'id-of-body-cut-to-32-bits': [
      'An id in the body is used, and its column has 32 bits.',
      honouring(isNew, (id) => BigInt.asIntN(32, id)),
    ],
    'id-of-body-overwrites': [
      'An id in the body that exists already changes that pet.',
      honouring((isKnown) => isKnown),
    ],
  }),
  ...caughtBy('create-ids-all-distinct', {
    'creation-idempotent': [
      'An equal body returns the existing pet instead of a new one.',
      inStore((store) => {
        const made = new Map<string, Pet>()
        return {
          add: (fields) => {
            const body = printJson(fields)
            const pet = made.get(body) ?? store.add(fields)
            made.set(body, pet)
            return pet
          },
        }
      }),
    ],
    'id-through-double': ['Ids are rounded to doubles when printed.', showing(rounding('id'))],
  }),
  ...family(showing, 'The id').caughtBy('pet-id-int64', {
    'id-as-string': ['is a string in JSON', (pet) => ({ ...pet, id: String(pet.id) })],
    'id-beyond-int64': ['exceeds int64', (pet) => ({ ...pet, id: (pet.id as bigint) + 2n ** 63n })],
    'id-named-otherwise': ['is named petId', ({ id, ...pet }) => ({ petId: id, ...pet })],
  }),
  ...family(showing).caughtBy('pet-fields', {
    'category-as-string': [
      'categoryId is a string in JSON.',
      (pet) => ({ ...pet, categoryId: String(pet.categoryId) }),
    ],
    'numeric-names-as-numbers': [
      'Names of digits are printed as numbers.',
      (pet) => (/^\d+$/.test(String(pet.name)) ? { ...pet, name: Number(pet.name) } : pet),
    ],
    'members-in-snake-case': [
      'categoryId is named category_id.',
      ({ categoryId, ...pet }) => ({ ...pet, category_id: categoryId }),
    ],
  }),
]
