// POST /pets: sound creations and what they return.

import type { Question } from '../engine/check.ts'
import { check } from '../engine/check.ts'
import { statusOf } from '../engine/exchange.ts'
import {
  expectMember,
  expectPet,
  expectStatus,
  shownValue,
  told,
  violate,
} from '../engine/expect.ts'
import { printJson } from '../engine/json.ts'
import { property } from '../engine/property.ts'
import { json, post } from '../engine/request.ts'
import { acceptedStatus, isOrdinaryName } from './animals.ts'
import { draft, ordinaryName } from './arbitraries.ts'
import { createAftermath } from './create/aftermath.ts'
import { createCategories } from './create/categories.ts'
import { createIds } from './create/ids.ts'
import { largeBodies } from './create/large-bodies.ts'
import { bodyOf, creating, made } from './create/made.ts'
import { otherFaults } from './create/other-faults.ts'
import { createUnsaid } from './create/unsaid.ts'
import { createFaults } from './create-faults.ts'
import { createPet, statuses } from './requests.ts'

const success = property(
  'create-sound-201',
  'create.success',
  { ...creating(14), runs: 14, shrinks: 8 },
  draft,
  async (context, value) => {
    const answer = await context.call(createPet(bodyOf(context, value)))
    expectStatus(answer, 201)
    expectPet(answer)
  },
)

const echo = property(
  'create-values-echoed',
  'create.echo',
  { ...creating(16), runs: 16, shrinks: 8 },
  draft,
  async (context, value) => {
    const sent = bodyOf(context, value)
    const { pet, answer } = await made(context, sent)
    for (const [member, wanted] of Object.entries(sent)) {
      expectMember(pet, member, wanted, answer)
    }
  },
)

/** Each of them once broke a store, a column or an encoder. */
const tellingNames = [
  // One character, and none beyond Latin-1 in the whole body.
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
  // What a format, a template or a statement takes for its own.
  '{{name}} %s %d 100% {0} #{x} $1 :name ?',
  `AC/DC <3 & "O'Neil" \\n ; --`,
  // Marks of direction, and the joiners of several scripts.
  'שלום \u200fمرحبا\u200e می\u200cخواهم क्\u200dष',
  // What a reader that guesses types takes for a boolean, a number, a date, a member of its own.
  'true',
  '42',
  '2024-01-01',
  '__proto__',
]

const names = property(
  'create-name-ordinary-kept',
  'new-pet.name.ordinary',
  { ...creating(18), runs: 18, examples: tellingNames, shrinks: 12 },
  ordinaryName(100),
  async (context, name) => {
    if (!isOrdinaryName(name)) throw new Error(`not an ordinary name: ${name}`)
    const sent = context.newPet({ name, status: acceptedStatus(context) })
    const { pet, answer } = await made(context, sent)
    expectMember(pet, 'name', name, answer)
  },
)

const keptStatuses = statuses.map((status) =>
  check(`create-status-${status}-kept`, 'new-pet.status.kept', creating(1), async (context) => {
    const { pet, answer } = await made(context, context.newPet({ status }))
    expectMember(pet, 'status', status, answer)
  }),
)

const withoutStatus = check(
  'create-status-omitted-201',
  'new-pet.status.optional',
  creating(1),
  async (context) => {
    expectStatus(await context.call(createPet(context.newPet())), 201)
  },
)

const mediaTypes = [
  ['create-charset-utf8-201', 'application/json; charset=utf-8'],
  ['create-media-type-case-201', 'Application/JSON'],
].map(([id = '', type = '']) =>
  check(id, 'service.json-request', creating(1), async (context) => {
    await context.control('create')
    const sent = printJson(context.newPet())
    expectStatus(await context.call(post('/pets', sent, [[json[0], type]])), 201)
  }),
)

/** A server may insist on a length (RFC 9110, 10.1.1 and 15.5.12), but not on a single read. */
const framings = [
  ['create-body-chunked-201', 'chunked', [201, 411]],
  ['create-body-in-two-parts-201', 'in two parts', [201]],
] as const

const framedBodies = framings.map(([id, framing, statuses]) =>
  check(id, 'create.success', creating(1), async (context) => {
    await context.control('create')
    const answer = await context.call({ ...createPet(context.newPet()), framing })
    if (statuses.some((status) => status === statusOf(answer))) return
    violate(`201 to a creation whose body is sent ${framing}`, told(answer), answer)
  }),
)

const edgeSpaces = [
  ['create-name-leading-space-kept', (name: string) => `  ${name}`],
  ['create-name-trailing-space-kept', (name: string) => `${name}  `],
] as const

const spacedNames = edgeSpaces.map(([id, space]) =>
  check(id, 'new-pet.name.edge-space', creating(1), async (context) => {
    const name = space(context.names.fresh())
    const { pet, answer } = await made(context, context.newPet({ name }))
    if (pet.name !== name) violate(`the name ${shownValue(name)}`, shownValue(pet.name), answer)
  }),
)

export const create: readonly Question[] = [
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
  ...createUnsaid,
  ...createAftermath,
]
