// POST /pets with further faults, of which a run sends a sample when requests are scarce; and with
// faulty bodies that exceed the limits of frameworks and proxies.

import type { Context } from '../../engine/check/context.ts'
import { type Check, check } from '../../engine/check/declare.ts'
import type { AnsweredExchange } from '../../engine/check/exchange.ts'
import { expectStatus } from '../../engine/check/expect.ts'
import { expectEach } from '../../engine/check/findings.ts'
import { type Json, minInt64, printJson } from '../../engine/check/json.ts'
import { NoResponseError, Untested } from '../../engine/check/outcome.ts'
import { afterControl, controlFailed, createPet, naming, whenScarce } from '../pets/requests.ts'
import { awkward } from './invalid-bodies.ts'

type Fault = readonly [name: string, body: (context: Context) => string]

const member = (name: string, kind: string, value: Json): Fault => [
  `${name} that is ${kind}`,
  ({ newPet }) => printJson(newPet({ [name]: value })),
]

/** A member in another letter case is another member, so the required one is missing. */
const spelt = (member: string, other: string): Fault => [
  `${other} instead of ${member}`,
  ({ newPet }) => {
    const { [member]: value = null, ...rest } = newPet()
    return printJson({ ...rest, [other]: value })
  },
]

/** A category written as something that is not a valid number. */
const written = (text: string): Fault => [
  `categoryId that is ${text}`,
  ({ names }) => `{"name":"${names.fresh()}","categoryId":${text}}`,
]

/** Only one in five is not JSON, since other checks send such bodies in every run. */
const faults: readonly Fault[] = [
  written('NaN'),
  member('name', 'a boolean', true),
  member('categoryId', 'an array', [1n]),
  member('status', 'a key of every object', 'constructor'),
  ['a body of spaces', () => '   '],
  spelt('name', 'NAME'),
  member('categoryId', 'an empty string', ''),
  member('status', 'a number', 1n),
  ['a body that is an empty array', () => '[]'],
  ['a body that is XML', ({ names }) => `<pet><name>${names.fresh()}</name></pet>`],
  member('name', 'an object', { first: 'Rex' }),
  member('status', 'the prototype', '__proto__'),
  spelt('categoryId', 'CategoryId'),
  member('status', 'a boolean', true),
  written('1e400'),
  ['a body that is a number', () => '1'],
  member('name', 'a fraction', 1.5),
  member('categoryId', 'below int64', minInt64 - 1n),
  member('status', 'an array', ['sold']),
  member('status', 'an object', { value: 'sold' }),
  member('status', 'cut short', 'avail'),
  ['a body that is a form', ({ names }) => `name=${names.fresh()}&categoryId=1`],
  member('status', 'the number 0', 0n),
  member('status', 'a number in a string', '1'),
  member('categoryId', 'a number in an array in an array', [[1n]]),
  member('status', 'two of the values', 'available,sold'),
  member('status', 'in title case', 'Sold'),
  member('status', 'with a space at its end', 'sold '),
  member('categoryId', 'a string of words', 'dogs'),
  ['a body that is an array of the values', ({ names }) => `["${names.fresh()}",1,"sold"]`],
  [
    'a name with a quote and a backslash, and no categoryId',
    ({ names }) => printJson({ name: `${names.fresh()} ${awkward}` }),
  ],
]

const only400 = 'Any status other than 400. The message names the fault.'

const expectRefused = (context: Context, sent: readonly Fault[]): Promise<void> =>
  expectEach(sent, async ([name, body]) => {
    const response = await context.call(createPet(body(context)))
    naming(name, () => expectStatus(response, 400))
  })

/** How many a run sends when requests are scarce; the seed selects them. */
const perRun = 2

export const otherFaults: Check = check({
  id: 'create-other-fault-400',
  requirement: 'errors.400',
  needs: {
    stage: 'refusals',
    keyed: perRun,
    ample: faults.length,
    anonymous: 0,
    allow: ['write'],
  },
  sends:
    '31 `POST /pets` with one fault each: values of other types, members in another letter ' +
    'case, invalid numbers, bodies that are not JSON or not an object; two of ' +
    `them${whenScarce}.`,
  fails: only400,
  ...afterControl('create', (context) => expectRefused(context, context.sample(faults, perRun))),
})

const outsideInt64: readonly Fault[] = [
  member('categoryId', '2^63, one more than int64 holds', 2n ** 63n),
  member('categoryId', '10^39', 10n ** 39n),
]

export const categoryRange = check({
  id: 'create-category-range-400',
  requirement: 'new-pet.category.range',
  needs: {
    stage: 'refusals',
    keyed: 1,
    ample: outsideInt64.length,
    anonymous: 0,
    allow: ['write'],
  },
  sends: `One \`POST /pets\` whose \`categoryId\` is 2^63, and one with 10^39; one${whenScarce}.`,
  fails: only400,
  ...afterControl('create', (context) => expectRefused(context, context.sample(outsideInt64, 1))),
})

const mebibyte = 1_048_576

/** A server may refuse a body by its length, and close the connection while it is sent. */
const lostWhileSending = ['reset', 'timeout']

/** A creation without a name, with spaces in front of its body. */
const sendLarge = async (context: Context, padding: number): Promise<AnsweredExchange> => {
  const { name: _, ...body } = context.newPet()
  try {
    // On a new connection, since unread bytes of the body would precede the next request.
    return await context.call({ ...createPet(body), padding, fresh: true })
  } catch (error) {
    if (!(error instanceof NoResponseError)) throw error
    if (!lostWhileSending.includes(error.exchange.noResponse ?? '')) throw error
    const which = `a body of ${padding} bytes`
    const message = `the connection ended while ${which} was sent: ${error.message}`
    throw new Untested('ambiguous', message, [error.exchange])
  }
}

/**
 * Above the limits of Express (100 kB); of nginx and Fastify (1 MiB); of axum and Django (2 to 2.5
 * MB); and of gateways, and servers configured for 10 MB.
 */
const paddings = [300_000, 1.5 * mebibyte, 3 * mebibyte, 11 * mebibyte]

/** It may crash the target, so it comes late. */
export const largeBody = check({
  id: 'create-body-large-refused',
  requirement: 'create.too-large',
  needs: {
    stage: 'hazards',
    keyed: 1,
    ample: paddings.length,
    anonymous: 0,
    allow: ['write'],
  },
  sends:
    '`POST /pets` without `name`, and with 300,000 spaces, 1.5, 3 and 11 MiB of them in front ' +
    `of the body; one of them${whenScarce}.`,
  fails: 'Any status other than 400 and 413: it was accepted, or the server failed.',
  inconclusive:
    `${controlFailed.create}, or the connection ended while the body was sent, so a response ` +
    'may have been lost (ambiguous)',
  run: async (context) => {
    await context.control('create')
    await expectEach(context.sample(paddings, 1), async (padding) => {
      const response = await sendLarge(context, padding)
      naming(`a body of ${padding} bytes`, () => expectStatus(response, 400, 413))
    })
  },
})
