// GET /pets/{petId} with ids that no animal has, and with texts that are no id.

import { bodyObject } from '../../engine/body.ts'
import { check, observe } from '../../engine/check.ts'
import type { Context } from '../../engine/context.ts'
import type { Answered } from '../../engine/exchange.ts'
import { statusOf } from '../../engine/exchange.ts'
import { told, violate } from '../../engine/expect.ts'
import { forOneWhoKnows } from '../../engine/fetch-known.ts'
import { int64Least, int64Most, isInt64 } from '../../engine/json.ts'
import { idAsked } from '../../engine/lacked.ts'
import { Untested } from '../../engine/outcome.ts'
import type { ApiRequest } from '../../engine/request.ts'
import { someId } from '../animals.ts'
import { isRefusal } from '../answers.ts'
import { strangeIds } from '../arbitraries.ts'
import { getPet } from '../requests.ts'
import { naming } from '../sampled.ts'

const reads = (keyed: number) => ({ stage: 'reads', keyed, anonymous: 0, getPet: true }) as const
const amongMany = { ...reads(1), made: 'crowd' } as const

/** 404, but for an id that some other animal may have: then it is that one which is returned. */
const expectUnknownOrOwn = async (context: Context, id: bigint, request: ApiRequest) => {
  const control = await context.control('get')
  const answer = await context.call(request)
  const isOwn = statusOf(answer) === 200 && bodyObject(answer)?.id === id
  if (isOwn || statusOf(answer) === 404) return
  violate(`404, or the animal ${id} itself`, told(answer), control, answer)
}

/** An unknown id that differs from a known one by its sign alone. */
const negated = ({ herd }: Context) =>
  [...herd.seen.keys()]
    .map((known) => ({ known, id: -known }))
    .find(({ id }) => id !== 0n && isInt64(id) && !herd.seen.has(id))

/** One answer decides both what an unknown id is answered, and what 404 is for. */
const unknownNeeds = { ...reads(1), shares: 'an unknown id' } as const

const expectNotFound = async (context: Context) => {
  const control = await context.control('get')
  const answer = await context.once(unknownNeeds.shares, () => {
    const near = negated(context)
    if (near) return context.call(forOneWhoKnows(context, near.known, getPet(near.id)))
    const [other = 0n] = strangeIds(context.seed, 3).filter((each) => !context.herd.seen.has(each))
    return context.call(getPet(other))
  })
  if (statusOf(answer) === 404) return
  if (statusOf(answer) === 200 && bodyObject(answer)?.id === idAsked(answer)) {
    throw new Untested('ambiguous', 'a pet has the id that was taken for unknown', [answer])
  }
  violate('404 for an id that no pet has', told(answer), control, answer)
}

const unknown = check('get-unknown-404', 'get.unknown', unknownNeeds, expectNotFound)

const notFound = check('errors-unknown-animal-404', 'errors.404', unknownNeeds, expectNotFound)

const doubleMost = 2n ** 53n

/** Ids that become a known one where a double is kept of them, or only their last 32 bits. */
const aliasesOf = (id: bigint): bigint[] => {
  if (id > doubleMost || id < -doubleMost) {
    return [id + 1n, id - 1n].filter((other) => Number(other) === Number(id))
  }
  return [id < 0n ? id - 2n ** 32n : id + 2n ** 32n]
}

const alias = check('get-id-not-truncated', 'get.unknown', amongMany, async (context) => {
  const control = await context.control('get')
  const { seen } = context.herd
  const pairs = [...seen.keys()]
    .reverse()
    .flatMap((known) => aliasesOf(known).map((id) => ({ known, id })))
    .filter(({ id }) => isInt64(id))
  // Of two animals beside one another the one that was asked for is no fault.
  const { known, id } = pairs.find((pair) => !seen.has(pair.id)) ?? pairs[0] ?? {}
  if (known === undefined || id === undefined) {
    throw new Untested('ambiguous', 'no known id is the double of another one', [control])
  }
  await expectUnknownOrOwn(context, id, forOneWhoKnows(context, known, getPet(id)))
})

/** An animal may lie at the edge of int64; then it is that one which is returned. */
const edges = [
  ['zero', 0n],
  ['most', int64Most],
  ['least', int64Least],
] as const

const edgeIds = edges.map(([kind, id]) =>
  check(`get-id-${kind}-404`, 'get.unknown', reads(1), async (context) => {
    await expectUnknownOrOwn(context, id, getPet(id))
  }),
)

/** Each made of an id that exists, so that a server which reads it wrongly has one to return. */
const noIds: readonly (readonly [kind: string, text: (id: bigint) => string])[] = [
  ['beyond-int64', (id) => `${(id < 0n ? -id : id) + 2n ** 64n}`],
  ['word', () => 'abc'],
  ['fraction', (id) => `${id}.5`],
  ['blank', () => '%20'],
]

/** Asks for a text made of an id that exists for the key that asks. */
const askLike = (context: Context, text: (id: bigint) => string): Promise<Answered> => {
  const id = someId(context)
  return context.call(forOneWhoKnows(context, id, getPet(text(id))))
}

const expectNoId = (control: Answered, answer: Answered): void => {
  if (!isRefusal(answer)) violate('a 4xx answer', told(answer), control, answer)
}

const noInteger = noIds.map(([kind, text]) =>
  check(`get-id-${kind}-refused`, 'get.id-parameter', reads(1), async (context) => {
    const control = await context.control('get')
    const answer = await askLike(context, text)
    expectNoId(control, answer)
  }),
)

/** Texts that upset what decodes, parses or looks up an id; where requests are scarce, one. */
const otherNoIds: readonly (readonly [name: string, text: string])[] = [
  ['an id that is a UUID', '7d444840-9dc0-11d1-b245-5ffdce74fad2'],
  ['an id of 400 digits', '9'.repeat(400)],
  ['an id that is no percent-escape', '%zz'],
  ['an id that is a NUL', '%00'],
  ['an id that is no UTF-8', '%ff'],
]

const others = check(
  'get-id-other-refused',
  'get.id-parameter',
  { ...reads(1), ample: otherNoIds.length },
  async (context) => {
    const control = await context.control('get')
    for (const [name, text] of context.sample(otherNoIds, 1)) {
      const answer = await context.call(getPet(text))
      naming(name, () => expectNoId(control, answer))
    }
  },
)

const prefix = check('get-id-prefix-refused', 'get.id-prefix', reads(1), async (context) => {
  const control = await context.control('get')
  const answer = await askLike(context, (id) => `${id}abc`)
  expectNoId(control, answer)
})

const spellings = [
  ['leading-zeros', (id: bigint) => (id < 0n ? `-00${-id}` : `00${id}`)],
  ['plus', (id: bigint) => `%2B${id}`],
  ['point-zero', (id: bigint) => `${id}.0`],
] as const

const spelledIds = spellings.map(([kind, spell]) =>
  observe(`get-id-${kind}`, 'get.id-spelling', reads(1), async (context) => {
    await context.control('get')
    return `${statusOf(await askLike(context, spell))}`
  }),
)

export const getStrangers = [
  unknown,
  notFound,
  alias,
  ...edgeIds,
  ...noInteger,
  others,
  prefix,
  ...spelledIds,
]
