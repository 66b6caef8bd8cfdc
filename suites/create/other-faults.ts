// POST /pets: faults too many to ask about in every run; each run takes some, by its seed.
import type { Check } from '../kit/check.ts'
import { check } from '../kit/check.ts'
import type { Context } from '../kit/context.ts'
import { expectError, expectStatus, violate } from '../kit/expect.ts'
import type { Json } from '../kit/json.ts'
import { int64Least, printJson } from '../kit/json.ts'
import { Violation } from '../kit/outcome.ts'
import { createPet } from '../requests.ts'

type Fault = readonly [name: string, body: (context: Context) => string]

const member = (name: string, kind: string, value: Json): Fault => [
  `${name} that is ${kind}`,
  ({ newPet }) => printJson(newPet({ [name]: value })),
]

const faults: readonly Fault[] = [
  member('name', 'a boolean', true),
  member('name', 'an object', { first: 'Rex' }),
  member('name', 'a fraction', 1.5),
  member('categoryId', 'an array', [1n]),
  member('categoryId', 'an empty string', ''),
  member('categoryId', 'false', false),
  member('categoryId', 'below int64', int64Least - 1n),
  member('status', 'a number', 1n),
  member('status', 'a boolean', true),
  member('status', 'an array', ['sold']),
  member('status', 'an object', { value: 'sold' }),
  member('status', 'cut short', 'avail'),
  ['a body that is an empty array', () => '[]'],
  ['a body that is a number', () => '1'],
  ['a body that is true', () => 'true'],
  ['a body of blanks', () => '   '],
  ['a body in single quotes', ({ names }) => `{'name':'${names.fresh()}','categoryId':1}`],
  ['a body that breaks off in a text', ({ names }) => `{"name":"${names.fresh()}`],
  ['a name that is no JSON number', () => '{"name":NaN,"categoryId":1}'],
]

/** How many of them one run takes; the rest come with other seeds. */
const perRun = 4

/** `perRun` neighbours in the circle of all faults. */
const chosen = (seed: number): readonly Fault[] =>
  Array.from({ length: perRun }, (_, at) => faults[((seed >>> 0) + at) % faults.length] as Fault)

const naming = (name: string, judge: () => void): void => {
  try {
    judge()
  } catch (error) {
    if (!(error instanceof Violation)) throw error
    violate(error.expected, `${error.actual} to ${name}`, ...error.evidence)
  }
}

export const otherFaults: Check = check(
  'create-other-fault-400',
  'errors.400',
  { stage: 'refusals', keyed: perRun, anonymous: 0, allow: ['write'] },
  async (context) => {
    await context.control('create')
    for (const [name, body] of chosen(context.seed)) {
      const answer = await context.call(createPet(body(context)))
      naming(name, () => {
        expectStatus(answer, 400)
        expectError(answer)
      })
    }
  },
)
