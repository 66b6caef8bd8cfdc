// POST /pets: faults too many for every run; where requests are scarce, the seed takes some.
import type { Check } from '../../engine/check.ts'
import { check } from '../../engine/check.ts'
import type { Context } from '../../engine/context.ts'
import { expectStatus } from '../../engine/expect.ts'
import type { Json } from '../../engine/json.ts'
import { int64Least, printJson } from '../../engine/json.ts'
import { createPet } from '../requests.ts'
import { naming } from '../sampled.ts'

type Fault = readonly [name: string, body: (context: Context) => string]

const member = (name: string, kind: string, value: Json): Fault => [
  `${name} that is ${kind}`,
  ({ newPet }) => printJson(newPet({ [name]: value })),
]

/** A member in another letter case is another member, so the required one is missing. */
const spelt = (member: string, other: string): Fault => [
  `${other} in place of ${member}`,
  ({ newPet }) => {
    const { [member]: value = null, ...rest } = newPet()
    return printJson({ ...rest, [other]: value })
  },
]

/** A category as a text that no sound number is. */
const written = (text: string): Fault => [
  `categoryId that is ${text}`,
  ({ names }) => `{"name":"${names.fresh()}","categoryId":${text}}`,
]

/** One of every five is no JSON, which checks of their own ask about in every run. */
const faults: readonly Fault[] = [
  written('NaN'),
  member('name', 'a boolean', true),
  member('categoryId', 'an array', [1n]),
  member('status', 'a key of every object', 'constructor'),
  ['a body of blanks', () => '   '],
  spelt('name', 'NAME'),
  member('categoryId', 'an empty string', ''),
  member('status', 'a number', 1n),
  ['a body that is an empty array', () => '[]'],
  ['a body that is XML', ({ names }) => `<pet><name>${names.fresh()}</name></pet>`],
  member('name', 'an object', { first: 'Rex' }),
  member('categoryId', 'false', false),
  member('status', 'the prototype', '__proto__'),
  ['a body that breaks off in a text', ({ names }) => `{"name":"${names.fresh()}`],
  spelt('categoryId', 'CategoryId'),
  member('status', 'a boolean', true),
  written('1e400'),
  ['a body that is a number', () => '1'],
  written('Infinity'),
  member('name', 'a fraction', 1.5),
  member('categoryId', 'below int64', int64Least - 1n),
  member('status', 'an array', ['sold']),
  ['a name that is no JSON number', () => '{"name":NaN,"categoryId":1}'],
  member('status', 'an object', { value: 'sold' }),
  ['a body that is true', () => 'true'],
  member('status', 'cut short', 'avail'),
  ['a body that is a form', ({ names }) => `name=${names.fresh()}&categoryId=1`],
  member('status', 'the number 0', 0n),
  member('status', 'a number in a string', '1'),
  member('categoryId', 'a number in an array in an array', [[1n]]),
  member('status', 'two of the values', 'available,sold'),
  ['a member without a value', ({ names }) => `{"name":"${names.fresh()}","categoryId":}`],
  member('status', 'in title case', 'Sold'),
  member('name', 'false', false),
  member('status', 'with a space at its end', 'sold '),
  member('categoryId', 'a string of words', 'dogs'),
]

/** How many of them a run takes where requests are scarce; the rest come with other seeds. */
const perRun = 3

export const otherFaults: Check = check(
  'create-other-fault-400',
  'errors.400',
  { stage: 'refusals', keyed: perRun, ample: faults.length, anonymous: 0, allow: ['write'] },
  async (context) => {
    await context.control('create')
    for (const [name, body] of context.sample(faults, perRun)) {
      const answer = await context.call(createPet(body(context)))
      naming(name, () => expectStatus(answer, 400))
    }
  },
)
