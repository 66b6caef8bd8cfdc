// POST /pets: valid creations, and the pets that they return.

import type { Context } from '../engine/check/context.ts'
import { type AnyCheck, check } from '../engine/check/declare.ts'
import { type AnsweredExchange, headerValues, statusCode } from '../engine/check/exchange.ts'
import { expectMember, expectPet, expectStatus, violateStatus } from '../engine/check/expect.ts'
import { expectEach } from '../engine/check/findings.ts'
import { Inapplicable } from '../engine/check/outcome.ts'
import { property } from '../engine/check/property.ts'
import { allKeys } from '../engine/check/spendable-keys.ts'
import { createCategories } from './create/categories.ts'
import { createFaults } from './create/invalid-bodies.ts'
import { createOpen } from './create/open.ts'
import { categoryRange, largeBody, otherFaults } from './create/sampled-invalid-bodies.ts'
import { createAftermath, createIds } from './create/stored.ts'
import { together } from './create/together.ts'
import { draft, ordinaryName } from './pets/arbitraries.ts'
import { carrying, expectClaim, type Judge } from './pets/carried.ts'
import { claims, riskyNames } from './pets/claims.ts'
import { acceptedStatus, isOrdinaryName, statuses } from './pets/compare-pets.ts'
import {
  afterControl,
  controlFailed,
  createPet,
  creating,
  expectCreated,
  expectKept,
  expectKeptBy,
  makeBody,
  readMade,
} from './pets/requests.ts'

const success = property({
  id: 'create-sound-201',
  requirement: 'create.success',
  needs: { ...creating(14), runs: 14, shrinks: 8 },
  sends:
    '14 `POST /pets` with generated names, categories and statuses. They are valid, ' +
    'so they need no control request.',
  fails: 'Any status other than 201, or a body that is not a pet. A failing body is shrunk.',
  arbitrary: draft,
  run: async (context, value) => {
    const response = await context.call(createPet(makeBody(context, value)))
    expectStatus(response, 201)
    expectPet(response)
  },
})

/** A member as it was sent; where the 201 lacks it, in the pet that is fetched. */
const expectKeptAs =
  (context: Context, member: string): Judge =>
  async ({ sent, response }) =>
    expectKeptBy(context, await readMade(context, response), sent, member)

/** Every member that is claimed, in the 201 itself. */
const echoed = [
  ...claims.names.map((claim) => ({ claim, member: 'name' })),
  ...claims.categories.map((claim) => ({ claim, member: 'categoryId' })),
  ...claims.statuses.slice(0, statuses.length).map((claim) => ({ claim, member: 'status' })),
]

const echo = check({
  id: 'create-values-echoed',
  requirement: 'create.echo',
  needs: carrying(echoed.map(({ claim }) => claim)),
  sends:
    'The `POST /pets` that carry many peculiarities of names (length, scripts, emoji, quotes, ' +
    'markup, templates), categories (2^53+1, 2^63-1) and statuses, several in each. What ' +
    'fails is sent again on its own.',
  fails:
    'A member that was sent is missing in the 201, or has another value. Numbers are ' +
    'compared digit by digit.',
  inconclusive: controlFailed.create,
  run: async (context) => {
    await expectEach(echoed, ({ claim, member }) =>
      expectClaim(context, claim, async ({ sent, response }) => {
        const { pet } = await readMade(context, response)
        expectMember(pet, member, sent[member] ?? null, response)
      }),
    )
  },
})

const names = property({
  id: 'create-name-ordinary-kept',
  requirement: 'new-pet.name.ordinary',
  needs: {
    ...carrying(claims.names),
    runs: riskyNames.length,
    examples: riskyNames,
    shrinks: 12,
  },
  sends:
    'The `POST /pets` that carry 17 selected names (100 characters of three bytes, emoji, ' +
    'quotes, SQL, both forms of an accent, templates, direction marks, words that look like ' +
    'another type), some of them joined. A name that fails is sent again on its own, and ' +
    'shrunk.',
  fails: 'Any status other than 201, or a name that differs in one code point.',
  inconclusive: controlFailed.create,
  arbitrary: ordinaryName(200, riskyNames),
  named: 'name',
  run: async (context, name) => {
    if (!isOrdinaryName(name)) throw new Error(`not an ordinary name: ${name}`)
    const claim = claims.names.find((each) => each.name === name)
    if (claim) return expectClaim(context, claim, expectKeptAs(context, 'name'))
    await expectKept(context, context.newPet({ name, status: acceptedStatus(context) }), 'name')
  },
})

const keptStatuses = statuses.map((status, place) => {
  const claim = claims.statuses[place] ?? { words: status, status }
  return check({
    id: `create-status-${status}-kept`,
    requirement: 'new-pet.status.kept',
    needs: carrying([claim]),
    sends: `One \`POST /pets\` with the status ${status} and a name of several scripts or forms.`,
    fails: `Any status other than 201, or a pet whose \`status\` is not \`${status}\`.`,
    inconclusive: controlFailed.create,
    run: (context) => expectClaim(context, claim, expectKeptAs(context, 'status')),
  })
})

const omitted = claims.statuses[statuses.length] ?? { words: 'no status', status: 'omitted' }

const withoutStatus = check({
  id: 'create-status-omitted-201',
  requirement: 'new-pet.status.optional',
  needs: carrying([omitted]),
  sends: 'One `POST /pets` without `status`, like the control request.',
  fails: 'Any status other than 201.',
  inconclusive: controlFailed.create,
  run: (context) =>
    expectClaim(context, omitted, ({ response }) => expectCreated(context, response)),
})

const mediaTypes = ['create-charset-utf8-201', 'create-media-type-case-201'].map((id, place) => {
  const claim = claims.mediaTypes[place] ?? { words: id }
  return check({
    id,
    requirement: 'service.json-request',
    needs: carrying([claim]),
    sends: `One valid \`POST /pets\` with \`Content-Type: ${claim.mediaType}\`.`,
    fails: 'Any status other than 201.',
    inconclusive: controlFailed.create,
    run: (context) =>
      expectClaim(context, claim, ({ response }) => expectCreated(context, response)),
  })
})

const overrides = check({
  id: 'create-override-ignored-201',
  requirement: 'service.override',
  needs: carrying(claims.overrides),
  sends:
    'One valid `POST /pets` with `X-HTTP-Method-Override: TRACE`, and with `X-Original-URL` and ' +
    '`X-Rewrite-URL` of another address.',
  fails: 'Any status other than 201. It is a should: these fields ask for nothing.',
  inconclusive: controlFailed.create,
  run: (context) =>
    expectClaim(context, claims.overrides[0], ({ response }) => expectCreated(context, response)),
})

/**
 * HTTP/1.0 closes each connection after its response, and says nothing of it; a server that speaks
 * it must not get a chunked body (RFC 9112, 6.1).
 */
const speaksHttp10 = ({ limits }: Context): boolean => {
  const responses = allKeys(limits).flatMap(({ label }) => limits.responsesTo(label))
  const isClosedUnsaid = (exchange: AnsweredExchange) =>
    exchange.response.opened === true && headerValues(exchange, 'Connection').length === 0
  return responses.length > 1 && responses.every(isClosedUnsaid)
}

const expectFramed =
  ({ control }: Context, framing: string, ...allowed: number[]): Judge =>
  async ({ response }) => {
    const usual = statusCode(await control('create'))
    if ([usual, 201, ...allowed].includes(statusCode(response))) return
    violateStatus(`201 for a body that is sent ${framing}`, response)
  }

/** A server may require Content-Length (RFC 9110, 15.5.12), so this one is sent alone. */
const chunked = check({
  id: 'create-body-chunked-201-or-411',
  requirement: 'create.success',
  needs: creating(1),
  sends: 'One valid `POST /pets` whose body is sent chunked, without Content-Length.',
  fails: 'Any status other than 201 and 411.',
  ...afterControl('create', async (context) => {
    if (speaksHttp10(context)) {
      throw new Inapplicable('the server closes each connection, as HTTP/1.0 does: no chunked body')
    }
    const sent = context.newPet()
    const response = await context.call({ ...createPet(sent), framing: 'chunked' })
    await expectFramed(context, 'chunked', 411)({ sent, response })
  }),
})

/** A server must read a body to its end. */
const inTwoParts = check({
  id: 'create-body-in-two-parts-201',
  requirement: 'create.success',
  needs: carrying(claims.framings),
  sends:
    'One valid `POST /pets` whose body is sent in two parts, with Content-Length, 50 ms apart.',
  fails: 'Any status other than 201.',
  inconclusive: controlFailed.create,
  run: (context) => expectClaim(context, claims.framings[0], expectFramed(context, 'in two parts')),
})

const spacedName = check({
  id: 'create-name-outer-space-kept',
  requirement: 'new-pet.name.edge-space',
  needs: creating(1),
  sends: 'One `POST /pets` whose name has two leading and two trailing spaces.',
  fails: 'A 201 whose name lacks any of the spaces. It is a should: trimming is a warning.',
  inconclusive: controlFailed.create,
  run: (context) =>
    expectKept(context, context.newPet({ name: `  ${context.names.fresh()}  ` }), 'name'),
})

export const create: readonly AnyCheck[] = [
  ...createFaults,
  categoryRange,
  largeBody,
  otherFaults,
  success,
  echo,
  names,
  ...createCategories,
  ...keptStatuses,
  withoutStatus,
  ...mediaTypes,
  overrides,
  chunked,
  inTwoParts,
  together,
  spacedName,
  ...createIds,
  ...createOpen,
  ...createAftermath,
]
