// Faults of refusing a body: the wrong answer, none at all, or an animal that stays.
import type { Variant } from '../compose.ts'
import { refuse } from '../errors.ts'
import { parseJson } from '../json.ts'
import type { Mutant } from '../mutant.ts'
import { refusingExtraMembers, replacingBadBytes, rewriting } from './over-animals.ts'

const animal = '{"name":"","categoryId":1}'

/** How deep the brackets of a text may go before a reader that recurses gives up. */
const depthMost = 500

/** What is refused with 400 gets another status, or is not refused at all. */
const failing = (isMeant: (text: string) => boolean, status: number): Variant => ({
  parts: ({ readNewPet }) => ({
    readNewPet: (request) =>
      isMeant(String(request.body))
        ? refuse(status, 'internal', 'The body could not be read.')
        : readNewPet(request),
  }),
})

const isJson = (text: string) => parseJson(text) !== undefined

const ofStatus: readonly Mutant[] = [
  {
    id: 'body-invalid-utf8-replaced',
    breaks: 'create.strict-json',
    caughtBy: 'create-body-invalid-utf8-400',
    fault: 'Bytes that are no UTF-8 are replaced, so that the name is another one.',
    ...replacingBadBytes,
  },
  {
    id: 'body-missing-taken',
    breaks: 'create.body-required',
    caughtBy: 'create-body-missing-400',
    fault: 'A missing body counts as an empty animal.',
    ...rewriting((text) => (text === '' ? animal : text)),
  },
  {
    id: 'body-missing-411',
    breaks: 'create.body-required',
    caughtBy: 'create-body-missing-400',
    fault: 'A missing body is answered by a proxy, with 411.',
    ...failing((text) => text === '', 411),
  },
  {
    id: 'body-no-json-422',
    breaks: 'create.body-json',
    caughtBy: 'create-body-truncated-400',
    fault: 'A body that cannot be parsed is answered 422.',
    ...failing((text) => text !== '' && !isJson(text), 422),
  },
  {
    id: 'body-empty-object-taken',
    breaks: 'errors.400',
    caughtBy: 'create-empty-object-400',
    fault: 'Members are validated where they are there, and none has to be.',
    ...rewriting((text) => (text === '{}' ? animal : text)),
  },
  {
    id: 'body-faults-404',
    breaks: 'errors.400',
    caughtBy: 'create-empty-object-400',
    fault: 'A creation that names no category is answered 404.',
    ...failing((text) => isJson(text) && !text.includes('categoryId'), 404),
  },
  {
    id: 'body-deep-500',
    breaks: 'create.too-large',
    caughtBy: 'create-body-deep-refused',
    fault: 'A reader that recurses runs out of stack.',
    ...failing((text) => text.includes('['.repeat(depthMost)), 500),
  },
  {
    id: 'body-large-500',
    breaks: 'create.too-large',
    caughtBy: 'create-body-large-refused',
    fault: 'A body larger than a buffer of 100 kB is a fault of the server.',
    ...failing((text) => text.length > 100_000, 500),
  },
  {
    id: 'body-huge-500',
    breaks: 'create.too-large',
    caughtBy: 'create-body-huge-refused',
    fault: 'The limit of the framework was raised to 10 MB, and what is beyond it is not caught.',
    parts: ({ readNewPet }) => ({
      readNewPet: (request) =>
        request.body === 'too-large'
          ? refuse(500, 'internal', 'request entity too large')
          : readNewPet(request),
    }),
  },
  {
    id: 'body-large-cut',
    breaks: 'create.too-large',
    caughtBy: 'create-body-large-refused',
    fault: 'A large body is taken without looking.',
    ...rewriting((text) => (text.length > 100_000 ? animal : text)),
  },
]

/** Keeps an animal all the same, although its creation was refused. */
const keeping = (isMeant: (text: string) => boolean): Variant => ({
  parts: ({ store, readNewPet }) => ({
    readNewPet: (request) => {
      const reading = readNewPet(request)
      const sent = parseJson(String(request.body))?.value
      if ('value' in reading || sent === null || typeof sent !== 'object') return reading
      if (!isMeant(String(request.body))) return reading
      const { name = '', categoryId = 1n } = sent as { name?: string; categoryId?: bigint }
      const isSound = typeof name === 'string' && typeof categoryId === 'bigint'
      if (isSound) {
        store.add({ name, categoryId: BigInt.asIntN(64, categoryId), status: 'available' })
      }
      return reading
    },
  }),
})

const keepingWithoutKey: NonNullable<Variant['handle']> = (honest, parts) => async (request) => {
  const answer = await honest(request)
  if (answer.status !== 401 || request.method !== 'POST') return answer
  const reading = parts.readNewPet(request)
  if ('value' in reading) parts.store.add(reading.value)
  return answer
}

const traces: readonly Mutant[] = [
  {
    id: 'refused-creation-kept-without-key',
    breaks: 'create.refused-no-trace',
    caughtBy: 'create-refused-no-trace',
    fault: 'The key is looked at when the animal has been stored.',
    handle: keepingWithoutKey,
  },
  {
    id: 'refused-creation-kept-without-key-if-plain',
    breaks: 'create.refused-no-trace',
    caughtBy: 'create-refused-no-trace',
    fault: 'The key is looked at last; a member beyond the three is refused before that.',
    ...refusingExtraMembers,
    handle: keepingWithoutKey,
  },
  {
    id: 'refused-kept-for-status',
    breaks: 'create.refused-no-trace',
    caughtBy: 'create-refused-no-trace',
    fault: 'The status is validated after the animal has been inserted.',
    ...keeping((text) => /"status"/.test(text)),
  },
  {
    id: 'refused-kept-for-name',
    breaks: 'create.refused-no-trace',
    caughtBy: 'create-refused-no-trace',
    fault: 'A transaction is not rolled back when the name turns out to be missing.',
    ...keeping((text) => !text.includes('"name"')),
  },
]

export const refusedBodyMutants: readonly Mutant[] = [...ofStatus, ...traces]
