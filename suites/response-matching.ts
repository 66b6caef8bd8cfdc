// A response belongs to its own request, whatever was sent before on its connection and whatever
// else is in flight.

import type { Context } from '../engine/check/context.ts'
import { type AnyCheck, check } from '../engine/check/declare.ts'
import { withKey } from '../engine/check/exchange.ts'
import { expectEach } from '../engine/check/findings.ts'
import { recognizeOperation } from '../engine/check/operations.ts'
import { NoResponseError, Untested } from '../engine/check/outcome.ts'
import { count } from '../engine/check/quote.ts'
import { acceptedStatus } from './pets/compare-pets.ts'
import { controlFailed, creating, offer } from './pets/requests.ts'
import { otherKeys } from './rate-limit/two-keys.ts'
import { fewerThan, isOfAnother, type Misfit } from './response-matching/judge-own-response.ts'
import {
  carrying,
  creation,
  findMisfit,
  incomplete,
  judgeMisfit,
  list,
  mixed,
  mixture,
  offered,
  otherKey,
  oversized,
  replaced,
  type Sent,
  type Specimen,
} from './response-matching/specimens.ts'

/** Why it may be unknown whether another request caused a wrong response. */
const failsAlone = 'the same request gets a wrong response when sent alone too (blocked)'

/** A server may close a connection after a refusal; the row then continues on a new one. */
const send = async (context: Context, specimen: Specimen, key: string | null) => {
  const keyed = () => {
    const request = specimen.request(context)
    return request.authorization === 'valid' ? withKey(request, key) : request
  }
  try {
    return await context.call(keyed())
  } catch (error) {
    if (!(error instanceof NoResponseError) || error.exchange.noResponse !== 'reset') throw error
    return context.call(keyed())
  }
}

/** Sends specimens one after another, and judges each response. */
const sendRow = async (
  context: Context,
  specimens: readonly Specimen[],
  key: string | null,
): Promise<readonly Sent[]> => {
  const row: Sent[] = []
  for (const specimen of specimens) {
    const response = await send(context, specimen, key)
    const before = row.at(-1)
    row.push({ specimen, response })
    if (offered.has(specimen)) await offer(context, specimen.name, response)
    const misfit = findMisfit(context, specimen, response)
    if (misfit) await judgeAfter(context, { specimen, response }, misfit, before)
  }
  return row
}

const judgeAfter = (
  context: Context,
  { specimen, response }: Sent,
  misfit: Misfit,
  before: Sent | undefined,
): Promise<never> => {
  const when = before
    ? `right after ${before.specimen.name} on its connection`
    : 'as the first of a row'
  // The oversized body is left out of the evidence: it would appear in every report.
  const isShown = before !== undefined && before.specimen !== oversized
  return judgeMisfit(context, specimen, response, misfit, when, isShown ? [before.response] : [])
}

/** The filter and the limit of a list do not affect the next one, which has neither. */
const expectOwnQuery = async (context: Context, key: string | null): Promise<void> => {
  const sendBoth = async () => {
    const { knownPets } = context
    const known = knownPets.matching(undefined).filter((id) => knownPets.lists.isKnown(key, id))
    const row = await sendRow(context, [list({ limit: 1, status: 'sold' }), list({})], key)
    return { known, row }
  }
  // A list may lag, so it is requested again; any other misfit counts immediately.
  let sent: Awaited<ReturnType<typeof sendBoth>> | undefined = await sendBoth()
  await context.settled(async () => {
    const { known, row } = sent ?? (await sendBoth())
    sent = undefined
    const [before, last] = row as [Sent, Sent]
    const misfit = fewerThan(last.response, known)
    if (!misfit) return
    const request = withKey(last.specimen.request(context), key)
    // If they are missing alone as well, other checks report it.
    if (fewerThan(await context.call({ ...request, fresh: true }), known)) return
    await judgeAfter(context, last, misfit, before)
  })
}

const filtered = list({ limit: 2, status: 'pending' })

const inARow = check({
  id: 'response-own-in-a-row',
  requirement: 'service.own-response',
  needs: {
    ...{ ...creating(7), ample: 9, anonymous: 1 },
    sharesEach: [incomplete.name, replaced.name],
  },
  sends:
    'On one connection, one after another: `POST /pets` without `categoryId`, of more than 1 ' +
    'MiB without a name, and with a key that was never issued, each after a valid one; `PUT ' +
    '/pets`; a list with a limit and a status, and one with neither.',
  fails:
    'A response that the same request does not get alone: another status, the error of the ' +
    'previous request, values that were not sent, a list for the previous query.',
  inconclusive: `${controlFailed.create}; or ${failsAlone}`,
  run: async (context) => {
    const { key } = await context.control('create')
    const more = context.sample([oversized, filtered], 0)
    const valid = creation(acceptedStatus(context))
    const row = [...more, oversized, valid, incomplete, valid, replaced, otherKey]
    await sendRow(context, row, key)
    await expectOwnQuery(context, key)
  },
})

/** Of the wrong responses to one operation the first is compared; of creations, each mix-up too. */
const isCompared = async (
  context: Context,
  { specimen, response }: Sent,
  round: readonly Sent[],
): Promise<boolean> => {
  const others = round.map((one) => one.response).filter((one) => one !== response)
  // Checks of their own judge what the others carry.
  if (isOfAnother(response, others)) return true
  if (carrying.has(specimen)) return false
  const operation = recognizeOperation(response)
  const compared = await context.once('compared with alone', async () => new Set<unknown>())
  return !compared.has(operation) && compared.add(operation).has(operation)
}

const own = check({
  id: 'response-own-together',
  requirement: 'service.own-response',
  needs: mixed,
  sends:
    'At the same time, each on its own connection: six valid `POST /pets`, two of them ' +
    'equal and three with peculiarities of other checks, and one without a name; two lists by ' +
    'status, two GETs and one of an unknown id; a list without a key and a `POST /pets` with a ' +
    'key that was never issued.',
  fails:
    'A response that the same request does not get alone: another status, values of another ' +
    'request, pets for another query, another pet.',
  inconclusive: `${controlFailed.create}; or ${failsAlone}`,
  run: async (context) => {
    const round = await mixture(context)
    const when = `together with ${count(round.length - 1, 'other request', 'other requests')}`
    await expectEach(round, async (sent) => {
      const { specimen, response } = sent
      try {
        const misfit = findMisfit(context, specimen, response)
        if (!misfit) return
        if (await isCompared(context, sent, round))
          await judgeMisfit(context, specimen, response, misfit, when)
        throw new Untested('blocked', failsAlone, [response])
      } catch (error) {
        // A claim that fails alone too has a check of its own.
        if (!carrying.has(specimen) || !(error instanceof Untested)) throw error
      }
    })
  },
})

export const ownResponse: readonly AnyCheck[] = [inARow, own, otherKeys]
