// POST /pets: valid creations, and the pets that they return.

import type { Context } from '../engine/check/context.ts'
import { type AnyCheck, check } from '../engine/check/declare.ts'
import {
  type AnsweredExchange,
  headerValues,
  json,
  post,
  statusOf,
} from '../engine/check/exchange.ts'
import { expectMember, expectPet, expectStatus, violateStatus } from '../engine/check/expect.ts'
import { maxInt64, printJson } from '../engine/check/json.ts'
import { allKeys } from '../engine/check/keys.ts'
import { Inapplicable } from '../engine/check/outcome.ts'
import { property } from '../engine/check/property.ts'
import { createCategories } from './create/categories.ts'
import { createFaults } from './create/faults.ts'
import { largeBodies, otherFaults } from './create/more-faults.ts'
import { createOpen } from './create/open.ts'
import { createAftermath, createIds } from './create/stored.ts'
import { type Draft, draft, draftLike, ordinaryName } from './pets/arbitraries.ts'
import { acceptedStatus, isOrdinaryName, statuses } from './pets/compare.ts'
import {
  afterControl,
  bodyOf,
  controlFailed,
  createPet,
  creating,
  expectCreated,
  expectKept,
  made,
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
    const response = await context.call(createPet(bodyOf(context, value)))
    expectStatus(response, 201)
    expectPet(response)
  },
})

/** Many claims in one request each: of names, categories and statuses that servers have changed. */
const rich: readonly Draft[] = [
  { tail: 'é', category: 2n ** 53n + 1n, status: 'sold' },
  // With the prefix of the run nearly 100 characters, and never more.
  { tail: '字'.repeat(78), category: maxInt64, status: 'pending' },
  {
    tail: '🐈‍⬛ 👩🏽‍🌾 🇫🇴 𝔘𝔫𝔦 𠮷 e\u0301 \u00e9 a\u0323\u030a ﬁ',
    category: 2n ** 31n,
    status: 'available',
  },
  {
    tail: `Robert'); DROP TABLE pets;-- two  spaces, "quotes" \\ and / a slash`,
    category: 2n ** 32n + 1n,
    status: null,
  },
  {
    tail: `<b>&amp;</b> %41 \\u0041 {{name}} %s %d 100% {0} #{x} $1 :name ?`,
    // A double takes it for the first one of these.
    category: 2n ** 53n,
    status: 'sold',
  },
  {
    tail: `AC/DC <3 & "O'Neil" \\n שלום \u200fمرحبا\u200e می\u200cخواهم क्\u200dष`,
    category: 2n ** 53n + 3n,
    status: 'pending',
  },
]

const echo = property({
  id: 'create-values-echoed',
  requirement: 'create.echo',
  needs: { ...creating(6), runs: 6, examples: rich, shrinks: 8 },
  sends:
    'Six `POST /pets` with many peculiarities of names (length, scripts, emoji, quotes, ' +
    'markup, templates), categories (2^53+1, 2^63-1) and statuses.',
  fails:
    'A member that was sent is missing in the 201, or has another value. Numbers are ' +
    'compared digit by digit.',
  inconclusive: controlFailed.create,
  arbitrary: draftLike(rich),
  run: async (context, value) => {
    const sent = bodyOf(context, value)
    const { pet, response } = await made(context, sent)
    for (const [member, wanted] of Object.entries(sent)) {
      expectMember(pet, member, wanted, response)
    }
  },
})

/** Names that stores, columns or encoders have corrupted. */
const riskyNames = [
  // A single character, so that the whole body fits into Latin-1.
  'é',
  // 100 characters in 300 bytes, and in 200 units of UTF-16.
  '字'.repeat(100),
  '🐈'.repeat(100),
  `Robert'); DROP TABLE pets;--`,
  'two  spaces, "quotes" \\ and / a slash',
  '🐈‍⬛ 👩🏽‍🌾 🇫🇴 𝔘𝔫𝔦 𠮷',
  'e\u0301 \u00e9 a\u0323\u030a ﬁ',
  'null',
  '0012',
  '<b>&amp;</b> %41 \\u0041',
  // Syntax of format strings, templates and SQL.
  '{{name}} %s %d 100% {0} #{x} $1 :name ?',
  `AC/DC <3 & "O'Neil" \\n ; --`,
  // Direction marks, and joiners of several scripts.
  'שלום \u200fمرحبا\u200e می\u200cخواهم क्\u200dष',
  // Words that a parser may mistake for a boolean, a number, a date or a property.
  'true',
  '42',
  '2024-01-01',
  '__proto__',
]

const names = property({
  id: 'create-name-ordinary-kept',
  requirement: 'new-pet.name.ordinary',
  needs: { ...creating(18), runs: 18, examples: riskyNames, shrinks: 12 },
  sends:
    '18 `POST /pets`: 17 selected names (100 characters of three bytes, emoji, quotes, SQL, ' +
    'both forms of an accent, templates, direction marks, words that look like another type) ' +
    'and a generated one.',
  fails: 'Any status other than 201, or a name that differs in one code point.',
  inconclusive: controlFailed.create,
  arbitrary: ordinaryName(200, riskyNames),
  named: 'name',
  run: async (context, name) => {
    if (!isOrdinaryName(name)) throw new Error(`not an ordinary name: ${name}`)
    await expectKept(context, context.newPet({ name, status: acceptedStatus(context) }), 'name')
  },
})

const keptStatuses = statuses.map((status) =>
  check({
    id: `create-status-${status}-kept`,
    requirement: 'new-pet.status.kept',
    needs: creating(1),
    sends: `One \`POST /pets\` with the status ${status}.`,
    fails: `Any status other than 201, or a pet whose \`status\` is not \`${status}\`.`,
    inconclusive: controlFailed.create,
    run: (context) => expectKept(context, context.newPet({ status }), 'status'),
  }),
)

const withoutStatus = check({
  id: 'create-status-omitted-201',
  requirement: 'new-pet.status.optional',
  needs: creating(1),
  sends: 'One `POST /pets` without `status`, like the control request.',
  fails: 'Any status other than 201.',
  run: async (context) => {
    const { status: _, ...sent } = context.newPet()
    await expectCreated(context, await context.call(createPet(sent)))
  },
})

const mediaTypes = [
  ['create-charset-utf8-201', 'application/json; charset=utf-8'],
  ['create-media-type-case-201', 'Application/JSON'],
].map(([id = '', type = '']) =>
  check({
    id,
    requirement: 'service.json-request',
    needs: creating(1),
    sends: `One valid \`POST /pets\` with \`Content-Type: ${type}\`.`,
    fails: 'Any status other than 201.',
    ...afterControl('create', async (context) => {
      const request = post('/pets', printJson(context.newPet()), [[json[0], type]])
      await expectCreated(context, await context.call(request))
    }),
  }),
)

/** A server may require Content-Length (RFC 9110, 15.5.12), but must read a body to its end. */
const framings = [
  ['create-body-chunked-201', 'chunked', 'without Content-Length', [201, 411]],
  ['create-body-in-two-parts-201', 'in two parts', 'with Content-Length, 50 ms apart', [201]],
] as const

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

const framedBodies = framings.map(([id, framing, words, allowed]) =>
  check({
    id,
    requirement: 'create.success',
    needs: creating(1),
    sends: `One valid \`POST /pets\` whose body is sent ${framing}, ${words}.`,
    fails: `Any status other than ${allowed.join(' and ')}.`,
    ...afterControl('create', async (context) => {
      const { call, control, newPet } = context
      if (framing === 'chunked' && speaksHttp10(context)) {
        throw new Inapplicable(
          'the server closes each connection, as HTTP/1.0 does: no chunked body',
        )
      }
      const response = await call({ ...createPet(newPet()), framing })
      const usual = statusOf(await control('create'))
      if ([usual, ...allowed].some((status) => status === statusOf(response))) return
      violateStatus(`201 for a body that is sent ${framing}`, response)
    }),
  }),
)

const spacedNames = (['leading', 'trailing'] as const).map((which) =>
  check({
    id: `create-name-${which}-space-kept`,
    requirement: 'new-pet.name.edge-space',
    needs: creating(1),
    sends: `One \`POST /pets\` whose name has two ${which} spaces.`,
    fails: 'A 201 whose name lacks the spaces. It is a should: trimming is a warning.',
    inconclusive: controlFailed.create,
    run: (context) => {
      const name = context.names.fresh()
      const spaced = which === 'leading' ? `  ${name}` : `${name}  `
      return expectKept(context, context.newPet({ name: spaced }), 'name')
    },
  }),
)

export const create: readonly AnyCheck[] = [
  ...createFaults,
  ...largeBodies,
  otherFaults,
  success,
  echo,
  names,
  ...createCategories,
  ...keptStatuses,
  withoutStatus,
  ...mediaTypes,
  ...framedBodies,
  ...spacedNames,
  ...createIds,
  ...createOpen,
  ...createAftermath,
]
