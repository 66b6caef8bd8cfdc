// Every request without a valid key must be answered 401. The Error in its body is judged by the
// invariants of errors.

import type { Context } from '../../engine/context.ts'
import type { Needs } from '../../engine/declare.ts'
import { type Answered, type ApiRequest, statusOf, unauthorized } from '../../engine/exchange.ts'
import { describeResponse, violate } from '../../engine/expect.ts'
import { printJson } from '../../engine/json.ts'
import { Untested } from '../../engine/outcome.ts'
import { isFromBelow, isSuccess, type Operation } from '../responses.ts'
import type { Spoil } from './spoil.ts'

export const stranger = (operation: Operation): Needs => ({
  stage: 'unauthenticated',
  keyed: 0,
  anonymous: 1,
  // A faulty server could accept a creation that it should refuse.
  ...(operation === 'create' && { allow: ['write'] }),
  ...(operation === 'get' && { getPet: true }),
})

export const expectUnauthorized = (control: Answered, answer: Answered): void => {
  if (statusOf(answer) !== 401) violate('status 401', describeResponse(answer), control, answer)
}

/** The request of a control; a creation has a new name, so a pet made of it can be recognised. */
const validOf = (operation: Operation, { asked }: Answered, { newPet }: Context): ApiRequest =>
  operation === 'create' ? { ...asked, body: printJson(newPet()) } : asked

/**
 * The response to a valid request without any key, on a separate connection; sent once in a run.
 * It is the control of requests that carry something else in place of a key.
 */
export const withoutKey = (context: Context, operation: Operation): Promise<Answered> =>
  context.once(`${operation} without a key`, async () => {
    const control = await context.control(operation)
    const bare = unauthorized(validOf(operation, control, context))
    const [answer] = await context.together([bare])
    return answer ?? control
  })

/** A server that demands no key at all has one fault, and one check reports it. */
export const unlessOpen = (bare: Answered, operation: Operation, ...evidence: Answered[]): void => {
  if (statusOf(bare) === 401) return
  const message = `without any key the response is ${statusOf(bare)}, not 401`
  const because = `${message}, which auth-missing-${operation}-401 reports`
  throw new Untested('blocked', because, [bare, ...evidence])
}

/** A valid request without any key is answered 401. */
export const demandAnyKey = async (context: Context, operation: Operation): Promise<void> => {
  const control = await context.control(operation)
  expectUnauthorized(control, await withoutKey(context, operation))
}

/** A connection that remembers the key of an earlier request is another fault. */
const unlessLent = async (context: Context, asked: ApiRequest, answer: Answered): Promise<void> => {
  const [alone = answer] = await context.together([asked])
  if (statusOf(alone) !== 401) return
  const message = 'a separate connection gets 401, see auth-connection-list-401'
  throw new Untested('blocked', message, [answer, alone])
}

/** The valid request of an operation, with its key spoilt, is answered 401. */
export const demandKey = async (
  context: Context,
  operation: Operation,
  spoil: Spoil,
): Promise<void> => {
  const control = await context.control(operation)
  const spoilt = spoil(validOf(operation, control, context), context)
  const answer = await context.call(spoilt)
  if (statusOf(answer) === 401) return
  if (isFromBelow(answer)) {
    const message = `a server below the API may refuse this header: ${statusOf(answer)}`
    throw new Untested('ambiguous', message, [control, answer])
  }
  const bare = await withoutKey(context, operation)
  // If it is served and a request without any key is not, the spoilt key made the difference.
  if (isSuccess(bare) || !isSuccess(answer)) unlessOpen(bare, operation, answer)
  await unlessLent(context, spoilt, answer)
  expectUnauthorized(control, answer)
}
