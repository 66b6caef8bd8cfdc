// One request after another on one connection: nothing of one is left to the next.
import { check } from '../../engine/check.ts'
import type { Context } from '../../engine/context.ts'
import type { Answered } from '../../engine/exchange.ts'
import { NoAnswerError } from '../../engine/no-answer.ts'
import { withKey } from '../../engine/request.ts'
import { judgeMisfit } from './alone.ts'
import { fewerThan, type Misfit } from './judge.ts'
import {
  creation,
  incomplete,
  list,
  misfitOf,
  otherKey,
  oversized,
  replaced,
  type Specimen,
} from './specimens.ts'

interface Asked {
  readonly specimen: Specimen
  readonly answer: Answered
}

/** A server may close a connection after a refusal: then the row goes on with a new one. */
const send = async (context: Context, specimen: Specimen, key: string | null) => {
  const keyed = () => {
    const request = specimen.request(context)
    return request.authorization === 'valid' ? withKey(request, key) : request
  }
  try {
    return await context.call(keyed())
  } catch (error) {
    if (!(error instanceof NoAnswerError) || error.exchange.noAnswer !== 'reset') throw error
    return context.call(keyed())
  }
}

/** Pets that this key has to be shown by now, but for the second in which a list may lag. */
const knownTo = ({ herd }: Context, key: string | null): readonly bigint[] =>
  herd.matching(undefined).filter((id) => herd.lists.isKnown(key, id))

/** Sends specimens in a row, each judged by itself. */
const sendRow = async (
  context: Context,
  specimens: readonly Specimen[],
  key: string | null,
): Promise<readonly Asked[]> => {
  const row: Asked[] = []
  for (const specimen of specimens) {
    const answer = await send(context, specimen, key)
    const before = row.at(-1)
    row.push({ specimen, answer })
    const misfit = misfitOf(context, specimen, answer)
    if (misfit) await judgeAfter(context, { specimen, answer }, misfit, before)
  }
  return row
}

const judgeAfter = (
  context: Context,
  { specimen, answer }: Asked,
  misfit: Misfit,
  before: Asked | undefined,
): Promise<never> => {
  const when = before ? `right after ${before.specimen.name} on its connection` : 'first in a row'
  // As evidence the oversized body would be in every report, several times.
  const isShown = before !== undefined && before.specimen !== oversized
  return judgeMisfit(context, specimen, answer, misfit, when, isShown ? [before.answer] : [])
}

/** The filter and the limit of a list do not stay for the next one, which gives neither. */
const expectOwnQuery = async (context: Context, key: string | null): Promise<void> => {
  const ask = async () => {
    const known = knownTo(context, key)
    const row = await sendRow(context, [list({ limit: 1, status: 'sold' }), list({})], key)
    return { known, row }
  }
  // A list may lag, and is asked for again; any other misfit stands at once.
  let asked: Awaited<ReturnType<typeof ask>> | undefined = await ask()
  await context.settled(async () => {
    const { known, row } = asked ?? (await ask())
    asked = undefined
    const [before, last] = row as [Asked, Asked]
    const misfit = fewerThan(last.answer, known)
    if (!misfit) return
    const request = withKey(last.specimen.request(context), key)
    // Alone it lacks them as well: other checks find that.
    if (fewerThan(await context.call({ ...request, fresh: true }), known)) return
    await judgeAfter(context, last, misfit, before)
  })
}

const valid = creation('pending')
const filtered = list({ limit: 2, status: 'pending' })

export const inARow = check(
  'response-own-in-a-row',
  'service.own-response',
  { stage: 'creations', keyed: 7, ample: 9, anonymous: 1, allow: ['write'] },
  async (context) => {
    const { key } = await context.control('create')
    const more = context.sample([oversized, filtered], 0)
    const row = [...more, oversized, valid, incomplete, valid, replaced, otherKey]
    await sendRow(context, row, key)
    await expectOwnQuery(context, key)
  },
)
