// POST /pets: a faulty body beyond what frameworks and proxies read at most.
import { check } from '../../engine/check.ts'
import type { Context } from '../../engine/context.ts'
import type { Answered } from '../../engine/exchange.ts'
import { expectStatus } from '../../engine/expect.ts'
import { NoAnswerError } from '../../engine/no-answer.ts'
import { Untested } from '../../engine/outcome.ts'
import { createPet } from '../requests.ts'
import { naming } from '../sampled.ts'

const mebibyte = 1_048_576

/** Who may refuse a body by its length may do so, and close, before all of it was sent. */
const lostOnTheWay = ['reset', 'timeout']

/** A creation without a name, with so many spaces in front. */
const sendLarge = async (context: Context, padding: number): Promise<Answered> => {
  const { name: _, ...body } = context.newPet()
  try {
    // What is left of such a body unread would be in the way of the next request.
    return await context.call({ ...createPet(body), padding, fresh: true })
  } catch (error) {
    if (!(error instanceof NoAnswerError)) throw error
    if (!lostOnTheWay.includes(error.exchange.noAnswer ?? '')) throw error
    const message = `a body of ${padding} bytes was refused or lost on its way: ${error.message}`
    throw new Untested('ambiguous', message, [error.exchange])
  }
}

const judge = async (context: Context, paddings: readonly number[]) => {
  await context.control('create')
  for (const padding of paddings) {
    const answer = await sendLarge(context, padding)
    naming(`a body of ${padding} bytes`, () => expectStatus(answer, 400, 413))
  }
}

const needs = { stage: 'refusals', keyed: 1, anonymous: 0, allow: ['write'] } as const

/** Beyond the cap of Express, 100 kB. */
const large = check('create-body-large-refused', 'create.too-large', needs, (context) =>
  judge(context, [300_000]),
)

/** Beyond those of gateways and of what configures 10 MB. */
const largest = 11 * mebibyte
/** Beyond those of nginx and Fastify (1 MiB), and of axum and Django (2 to 2.5 MB). */
const between = [1.5 * mebibyte, 3 * mebibyte]

const huge = check(
  'create-body-huge-refused',
  'create.too-large',
  { ...needs, ample: 1 + between.length },
  (context) => judge(context, [...context.sample(between, 0), largest]),
)

export const largeBodies = [large, huge]
