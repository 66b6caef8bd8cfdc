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
  numbering,
  reading,
  refusing,
  rounding,
  showing,
  storing,
} from '../../wrappers/pet-store.ts'

const storingName = (change: (name: string) => string): Variant =>
  storing((pet) => ({ ...pet, name: change(pet.name) }))

const taking = (isTaken: (name: string) => boolean) => refusing(({ name }) => isTaken(name))

/** Values that a loosely typed language converts to strings. */
const converting = (isTaken: (name: unknown) => boolean) =>
  coercing('name', (name) => (isTaken(name) ? String(name) : name))
const converted = 'A name of another JSON type is converted to a string.'

/** Uses the id in the body, if `isTaken`, as `read` takes it. */
const honouring = (
  isTaken: (id: bigint, isKnown: boolean) => boolean,
  read = (id: bigint) => id,
): Variant =>
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
          if (id === undefined || !isTaken(id, store.get(id) !== undefined)) return pet
          const moved = makePet(id, fields)
          own.set(id, moved)
          return moved
        },
        get: (id) => own.get(id) ?? store.get(id),
      }
    }),
  )

export const idMutants = [
  ...family(storingName).caughtBy('create-each-echoed', {
    'name-lower-cased': ['Names are converted to lower case.', (name) => name.toLowerCase()],
    'name-composed': ['Names are normalized to NFC.', (name) => name.normalize('NFC')],
    'name-cut-at-50': ['Names are cut after 50 characters.', (name) => name.slice(0, 50)],
    'name-cut-at-99': ['Names are cut after 99 characters.', (name) => name.slice(0, 99)],
    'name-latin1': [
      'UTF-8 names are read as Latin-1.',
      (name: string) => Buffer.from(name, 'utf8').toString('latin1'),
    ],
    'name-without-emoji': [
      'Emoji in names are dropped: the column holds three bytes per character.',
      (name) => name.replace(/[\u{10000}-\u{10ffff}]/gu, ''),
    ],
    'name-html-escaped': [
      'Names are escaped for HTML when they are stored.',
      (name) => name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    ],
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
  }),
  ...family(taking).caughtBy('create-name-scripts-201', {
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
  }),
  ...family(taking).caughtBy('create-name-markup-201', {
    'name-sql-refused': [
      'A firewall refuses names that look like SQL.',
      (name) => !/drop table/i.test(name),
    ],
  }),
  ...family(taking).caughtBy('create-name-words-201', {
    'name-at-least-2': ['Names of one character are refused.', ({ length }) => length > 1],
    'name-null-word-refused': ['The name `null` is refused.', (name) => name !== 'null'],
  }),
  ...each({
    'name-left-trimmed': [
      'create-name-outer-space-kept',
      'Spaces at the start of names are removed.',
      storingName((name) => name.trimStart()),
    ],
    'name-unencodable-fails-lists': [
      'create-lone-surrogate-list-200',
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
    'creation-unique-name': [
      'create-equal-bodies-201',
      'A name that exists already is refused.',
      reading((read, _request, { store }) => {
        const isName = ({ name }: Pet) => 'value' in read && name === read.value.name
        const isKnown = store.list(undefined, allPets).some(isName)
        return isKnown ? refuse(409, 'invalid_body', 'It exists.') : read
      }),
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
  ...caughtBy('create-id-assigned', {
    'id-of-body-taken': [
      'An id in the body is used for the new pet.',
      honouring((_id, isKnown) => !isKnown),
    ],
    'id-of-body-cut-to-32-bits': [
      'An id in the body is used, and its column has 32 bits.',
      honouring(
        (_id, isKnown) => !isKnown,
        (id) => BigInt.asIntN(32, id),
      ),
    ],
    'id-of-body-overwrites': [
      'An id in the body that exists already changes that pet.',
      honouring((_id, isKnown) => isKnown),
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
    'id-of-the-second': [
      'Ids are the time in seconds, so pets created together share one.',
      numbering((_position, _pet, nowMs) => BigInt(Math.floor(nowMs / 1_000))),
    ],
    'id-reused': ['Ids repeat after 64 pets.', numbering((position) => 1n + (position % 64n))],
    'id-of-name': [
      'Ids are a short hash of the name, and repeat.',
      numbering((_position, { name }) =>
        [...name].reduce((hash, letter) => (hash * 31n + BigInt(letter.charCodeAt(0))) % 1021n, 7n),
      ),
    ],
    'id-through-double': ['Ids are rounded to doubles when printed.', showing(rounding('id'))],
  }),
  ...family(showing).caughtBy('pet-id-int64', {
    'id-as-string': [
      'Ids are strings in JSON, so that no client rounds them.',
      (pet) => ({ ...pet, id: String(pet.id) }),
    ],
    'id-beyond-int64': [
      'Ids are unsigned and exceed int64.',
      (pet) => ({ ...pet, id: (pet.id as bigint) + 2n ** 63n }),
    ],
    'id-named-otherwise': ['The id is named petId.', ({ id, ...pet }) => ({ petId: id, ...pet })],
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
