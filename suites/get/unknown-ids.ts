// GET /pets/{petId} with ids that no pet has, and with text that is not an id.

import { usableObject } from '../../engine/check/body.ts'
import type { Context } from '../../engine/check/context.ts'
import { withKnowingKey } from '../../engine/check/control-request.ts'
import { check, observe } from '../../engine/check/declare.ts'
import { type AnsweredExchange, type ApiRequest, statusCode } from '../../engine/check/exchange.ts'
import { violateStatus } from '../../engine/check/expect.ts'
import { expectEach } from '../../engine/check/findings.ts'
import { isInt64, maxInt64, minInt64 } from '../../engine/check/json.ts'
import { requestedId } from '../../engine/check/known-pets.ts'
import { isRefusal } from '../../engine/check/operations.ts'
import { Untested } from '../../engine/check/outcome.ts'
import { idSuffixes } from '../pets/arbitraries.ts'
import { someId } from '../pets/compare-pets.ts'
import {
  afterControl,
  getPet,
  getUnknown,
  naming,
  offeredOr,
  recordEach,
  whenScarce,
} from '../pets/requests.ts'
import { unknown } from '../response-matching/specimens.ts'

export const reads = (keyed: number) =>
  ({ stage: 'reads', keyed, anonymous: 0, getPet: true }) as const
const getOf = (what: string): string =>
  `One GET of ${what}, after a GET of an existing pet that returned 200.`

/** Of three ids in a row beyond 2^53 one equals its neighbour as a double. */
const amongFew = { ...reads(1), made: 'crowd', pets: 3 } as const

/** Expects 404, or 200 with the pet of that id: a pet may have it after all. */
const expectUnknownOrOwn = async (
  { call, knownPets }: Context,
  control: AnsweredExchange,
  id: bigint,
  request: ApiRequest,
) => {
  const response = await call(request)
  const pet = statusCode(response) === 200 ? usableObject(response) : undefined
  if (pet?.id === id || statusCode(response) === 404) return
  if (statusCode(response) === 200 && pet === undefined && knownPets.seen.has(id)) {
    throw new Untested('ambiguous', `pet ${id} exists, and its body cannot be read`, [response])
  }
  violateStatus(`404, or the pet ${id} itself`, control, response)
}

const expectNotFound = async (context: Context, control: AnsweredExchange) => {
  const response = await offeredOr(
    context,
    unknown.name,
    (one) => statusCode(one) === 404,
    () => context.call(getUnknown(context)),
  )
  if (statusCode(response) === 404) return
  if (statusCode(response) === 200 && usableObject(response)?.id === requestedId(response)) {
    throw new Untested('ambiguous', 'a pet has the id that seemed to be unknown', [response])
  }
  violateStatus('404 for an id that no pet has', control, response)
}

const unknownId = check({
  id: 'get-unknown-404',
  requirement: 'get.unknown',
  needs: { ...reads(1), sharesEach: [unknown.name] },
  sends: getOf('an id that no pet has: a known id negated, or a large one by the seed'),
  fails: 'Any status other than 404.',
  ...afterControl('get', expectNotFound),
})

const maxSafe = 2n ** 53n

/** Ids that equal a known one when converted to a double, or to 32 bits. */
const aliasesOf = (id: bigint): bigint[] => {
  if (id > maxSafe || id < -maxSafe) {
    return [id + 1n, id - 1n].filter((other) => Number(other) === Number(id))
  }
  return [id < 0n ? id - 2n ** 32n : id + 2n ** 32n]
}

const alias = check({
  id: 'get-id-not-truncated',
  requirement: 'get.unknown',
  needs: amongFew,
  sends: 'One GET of an id that equals a known one when converted to 32 bits, or to a double.',
  fails: 'Anything other than 404, or 200 with the pet of exactly that id.',
  inconclusive: 'no known id equals another one as a double (ambiguous)',
  run: async (context) => {
    const control = await context.control('get')
    const { seen } = context.knownPets
    const pairs = [...seen.keys()]
      .reverse()
      .flatMap((known) => aliasesOf(known).map((id) => ({ known, id })))
      .filter(({ id }) => isInt64(id))
    // If ids are adjacent a pet may have that id, and may be returned.
    const { known, id } = pairs.find((pair) => !seen.has(pair.id)) ?? pairs[0] ?? {}
    if (known === undefined || id === undefined) {
      throw new Untested('ambiguous', 'no known id equals another one as a double', [control])
    }
    await expectUnknownOrOwn(context, control, id, withKnowingKey(context, known, getPet(id)))
  },
})

/** A pet may have an id at the edge of int64, and is then returned. */
const edges = [
  ['zero', 0n, '0'],
  ['most', maxInt64, '2^63-1'],
  ['least', minInt64, '-2^63'],
] as const

const edgeIds = edges.map(([kind, id, text]) =>
  check({
    id: `get-id-${kind}-404-or-own`,
    requirement: 'get.unknown',
    needs: reads(1),
    sends: getOf(`the id ${text}`),
    fails: 'Anything other than 404, or 200 with the pet of exactly that id.',
    ...afterControl('get', (context, control) =>
      expectUnknownOrOwn(context, control, id, getPet(id)),
    ),
  }),
)

/** GET of text built from an id that exists for the key that sends it. */
const getLike = (context: Context, text: (id: bigint) => string): ApiRequest => {
  const id = someId(context)
  return withKnowingKey(context, id, getPet(text(id)))
}

const expectNoId = (control: AnsweredExchange, response: AnsweredExchange): void => {
  if (!isRefusal(response)) violateStatus('a 4xx response', control, response)
}

const anythingElse = 'Anything other than a 4xx response.'

/** Built from an existing id if possible, so that a server that misreads it returns a pet. */
const refused = (kind: string, what: string, text: (id: bigint) => string) =>
  check({
    id: `get-id-${kind}-refused`,
    requirement: 'get.id-parameter',
    needs: reads(1),
    sends: getOf(what),
    fails: anythingElse,
    ...afterControl('get', async (context, control) => {
      expectNoId(control, await context.call(getLike(context, text)))
    }),
  })

const noInteger = [
  refused(
    'beyond-int64',
    'a known id plus 2^64, which becomes the known id in 64 bits',
    (id) => `${(id < 0n ? -id : id) + 2n ** 64n}`,
  ),
  refused('word', '`abc`', () => 'abc'),
  refused('fraction', 'a known id with `.5` appended', (id) => `${id}.5`),
  refused('blank', 'a space (`%20`)', () => '%20'),
]

/** Texts that make decoders, parsers or lookups fail; one is sent when requests are scarce. */
const otherNoIds: readonly (readonly [name: string, text: string])[] = [
  ['an id that is a UUID', '7d444840-9dc0-11d1-b245-5ffdce74fad2'],
  ['an id of 400 digits', '9'.repeat(400)],
  ['an id that is a broken percent-escape', '%zz'],
  ['an id that is a NUL', '%00'],
  ['an id that is not UTF-8', '%ff'],
  ['an id with a quote and a backslash', '%22%5C%E2%80%A8'],
]

const others = check({
  id: 'get-id-other-refused',
  requirement: 'get.id-parameter',
  needs: { ...reads(1), ample: otherNoIds.length },
  sends:
    'GETs of texts that make parsers fail: a UUID, 400 digits, a broken escape, a NUL, ' +
    `invalid UTF-8, a quote and a backslash; one of them${whenScarce}.`,
  fails: anythingElse,
  ...afterControl('get', async ({ call, sample }, control) => {
    await expectEach(sample(otherNoIds, 1), async ([name, text]) => {
      const response = await call(getPet(text))
      naming(name, () => expectNoId(control, response))
    })
  }),
})

const prefix = check({
  id: 'get-id-prefix-refused',
  requirement: 'get.id-prefix',
  needs: { ...reads(1), ample: idSuffixes.length },
  sends:
    'GETs of a known id with `abc`, `.json` and other text appended that parsers and routers ' +
    `take off again; one of them${whenScarce}.`,
  fails: `${anythingElse} It is a should: reading only the digits is a warning.`,
  ...afterControl('get', async (context, control) => {
    await expectEach(context.sample(idSuffixes, 1), async (suffix) => {
      const response = await context.call(getLike(context, (id) => `${id}${suffix}`))
      naming(`an id with ${suffix} appended`, () => expectNoId(control, response))
    })
  }),
})

/** Of a known id; one of them is sent when requests are scarce. */
const spellings: readonly (readonly [what: string, spell: (id: bigint) => string])[] = [
  ['two zeros in front', (id) => (id < 0n ? `-00${-id}` : `00${id}`)],
  ['a plus in front', (id) => `%2B${id}`],
  ['`.0` appended', (id) => `${id}.0`],
]

const spelledId = observe({
  id: 'get-id-spelling',
  requirement: 'get.id-spelling',
  needs: { ...reads(1), ample: spellings.length },
  sends:
    `GETs of a known id with ${spellings.map(([what]) => what).join(', with ')}; one of ` +
    `them${whenScarce}.`,
  records: 'The status of each.',
  ...afterControl('get', (context) =>
    recordEach(context.sample(spellings, 1), async ([what, spell]) => [
      `with ${what}`,
      String(statusCode(await context.call(getLike(context, spell)))),
    ]),
  ),
})

export const getUnknownIds = [unknownId, alias, ...edgeIds, ...noInteger, others, prefix, spelledId]
