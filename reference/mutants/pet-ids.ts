// Faults of reading a petId: the edges of int64, and texts that are no integer.
import type { Variant } from '../compose.ts'
import { refuse } from '../errors.ts'
import { isInt64 } from '../json.ts'
import type { ApiResponse } from '../message.ts'
import type { Mutant } from '../mutant.ts'
import { answering } from './over-animals.ts'

const firstOf = (text: string, answer: (parts: string) => ApiResponse): Variant =>
  answering('getPet', (honest, { petId }) => (petId === text ? answer(petId) : honest))

const whole = { status: 200, headers: {}, body: '[]' }
const broken: ApiResponse = {
  status: 500,
  headers: {},
  body: '{"code":"internal","message":"The service failed.","status":500}',
}

const edges: readonly Mutant[] = [
  {
    id: 'get-zero-lists',
    breaks: 'get.unknown',
    caughtBy: 'get-id-zero-404',
    fault: '0 counts as no id, and then all animals are listed.',
    ...firstOf('0', () => whole),
  },
  {
    id: 'get-greatest-400',
    breaks: 'get.unknown',
    caughtBy: 'get-id-most-404',
    fault: 'The bound of int64 is taken for exclusive.',
    parts: ({ readPetId }) => ({
      readPetId: (text) =>
        text === `${2n ** 63n - 1n}`
          ? refuse(400, 'invalid_parameter', 'petId is out of range.')
          : readPetId(text),
    }),
  },
  {
    id: 'get-least-500',
    breaks: 'get.unknown',
    caughtBy: 'get-id-least-404',
    fault: 'The magnitude of the least int64 does not fit into int64.',
    ...firstOf(`${-(2n ** 63n)}`, () => broken),
  },
]

/** Takes a text for an id that the honest reading refuses, or for another id. */
const readingId = (change: (text: string) => bigint | undefined): Variant => ({
  parts: ({ readPetId }) => ({
    readPetId: (text) => {
      const value = change(text)
      return value !== undefined && isInt64(value) ? { value } : readPetId(text)
    },
  }),
})

const leadingDigits = (text: string) => {
  const [digits] = /^-?\d{1,30}/.exec(text) ?? []
  return digits === undefined ? undefined : BigInt(digits)
}

const unsigned: Mutant = {
  id: 'get-sign-lost',
  breaks: 'get.unknown',
  caughtBy: 'get-unknown-404',
  fault: 'The sign of an id is no part of the pattern that reads it.',
  ...readingId((text) => (/^-\d{1,19}$/.test(text) ? BigInt(text.slice(1)) : undefined)),
}

const noInteger: readonly Mutant[] = [
  {
    id: 'get-id-wraps',
    breaks: 'get.id-parameter',
    caughtBy: 'get-id-beyond-int64-refused',
    fault: 'An id outside int64 is wrapped into it.',
    ...readingId((text) => (/^\d{1,30}$/.test(text) ? BigInt.asIntN(64, BigInt(text)) : undefined)),
  },
  {
    id: 'get-word-is-first',
    breaks: 'get.id-parameter',
    caughtBy: 'get-id-word-refused',
    fault: 'A word becomes no number, and no number finds the first animal.',
    parts: ({ store }) => ({
      readPetId: (text) => {
        const value = leadingDigits(text) ?? store.list(undefined, 1)[0]?.id ?? 0n
        return isInt64(value) && (`${value}` === text || leadingDigits(text) === undefined)
          ? { value }
          : refuse(400, 'invalid_parameter', 'petId is out of range.')
      },
    }),
  },
  {
    id: 'get-fraction-cut',
    breaks: 'get.id-parameter',
    caughtBy: 'get-id-fraction-refused',
    fault: 'The fraction of an id is cut off.',
    ...readingId((text) => (/^\d{1,20}\.\d+$/.test(text) ? leadingDigits(text) : undefined)),
  },
  {
    id: 'get-blank-lists',
    breaks: 'get.id-parameter',
    caughtBy: 'get-id-blank-refused',
    fault: 'A blank id is trimmed to none, and then all animals are listed.',
    ...firstOf('%20', () => whole),
  },
  {
    id: 'get-unreadable-500',
    breaks: 'get.id-parameter',
    caughtBy: 'get-id-other-refused',
    fault: 'A text that is decoded or parsed in vain is a fault of the server.',
    ...answering('getPet', (answer, { petId }) =>
      petId.length > 100 || /^\w{8}-|%(?!2)/.test(petId) ? broken : answer,
    ),
  },
  {
    id: 'get-unreadable-lists',
    breaks: 'get.id-parameter',
    caughtBy: 'get-id-other-refused',
    fault: 'What cannot be read counts as no id, and then all animals are listed.',
    ...answering('getPet', (answer, { petId }) =>
      petId.length > 100 || /^\w{8}-|%(?!2)/.test(petId) ? whole : answer,
    ),
  },
  {
    id: 'get-prefix-taken',
    breaks: 'get.id-prefix',
    caughtBy: 'get-id-prefix-refused',
    fault: 'The digits at the beginning are read, and the rest is not looked at.',
    ...readingId((text) => (/^\d{1,30}[a-z]+$/.test(text) ? leadingDigits(text) : undefined)),
  },
]

export const petIdMutants: readonly Mutant[] = [unsigned, ...edges, ...noInteger]
