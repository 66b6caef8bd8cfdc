// What every request without a valid key must be answered: 401. That an Error comes with it is a
// sentence about every refusal.

import type { Needs } from '../../engine/check.ts'
import type { Context } from '../../engine/context.ts'
import type { Answered } from '../../engine/exchange.ts'
import { statusOf } from '../../engine/exchange.ts'
import { told, violate } from '../../engine/expect.ts'
import { printJson } from '../../engine/json.ts'
import { Untested } from '../../engine/outcome.ts'
import type { ApiRequest } from '../../engine/request.ts'
import { unauthorized } from '../../engine/request.ts'
import type { Operation } from '../answers.ts'
import { isFromBelow, isSuccess } from '../answers.ts'
import type { Spoil } from './credentials.ts'

export const stranger = (operation: Operation): Needs => ({
  stage: 'strangers',
  keyed: 0,
  anonymous: 1,
  // A faulty server could create an animal of a creation that it should refuse.
  ...(operation === 'create' && { allow: ['write'] }),
  ...(operation === 'get' && { getPet: true }),
})

export const expectUnauthorized = (control: Answered, answer: Answered): void => {
  if (statusOf(answer) !== 401) violate('status 401', told(answer), control, answer)
}

/**
 * The request of a control. A creation has another name, as each has: an animal that is made of it
 * all the same is told from that of the control by this.
 */
const soundOf = (operation: Operation, { asked }: Answered, { newPet }: Context): ApiRequest =>
  operation === 'create' ? { ...asked, body: printJson(newPet()) } : asked

/**
 * The response to a sound request of an operation without any key, on a connection of its own; sent
 * once in a run. It is the control of requests that have something else in the place of a key.
 */
export const withoutKey = (context: Context, operation: Operation): Promise<Answered> =>
  context.once(`${operation} without a key`, async () => {
    const control = await context.control(operation)
    const sound = unauthorized(soundOf(operation, control, context))
    const [answer] = await context.together([sound])
    return answer ?? control
  })

/** Where a key is not demanded at all, that is one fault, and one check reports it. */
export const unlessOpen = (bare: Answered, operation: Operation, ...evidence: Answered[]): void => {
  if (statusOf(bare) === 401) return
  const message = `without any key the answer is ${statusOf(bare)}, not 401`
  const because = `${message}, which auth-missing-${operation}-401 reports`
  throw new Untested('blocked', because, [bare, ...evidence])
}

/** A sound request without any key is answered 401. */
export const demandAnyKey = async (context: Context, operation: Operation): Promise<void> => {
  const control = await context.control(operation)
  expectUnauthorized(control, await withoutKey(context, operation))
}

/** A connection that lends its key to a request without one is another fault. */
const unlessLent = async (context: Context, asked: ApiRequest, answer: Answered): Promise<void> => {
  const [alone = answer] = await context.together([asked])
  if (statusOf(alone) !== 401) return
  const message = 'a connection of its own gets 401, see auth-connection-list-401'
  throw new Untested('blocked', message, [answer, alone])
}

/** The sound request of an operation, spoilt, is answered 401. */
export const demandKey = async (
  context: Context,
  operation: Operation,
  spoil: Spoil,
): Promise<void> => {
  const control = await context.control(operation)
  const sound = soundOf(operation, control, context)
  const spoilt = spoil(sound, context)
  const answer = await context.call(spoilt)
  if (statusOf(answer) === 401) return
  if (isFromBelow(answer)) {
    const message = `a server below the API may refuse this header: ${statusOf(answer)}`
    throw new Untested('ambiguous', message, [control, answer])
  }
  const bare = await withoutKey(context, operation)
  // One that is served where a request without any key is not has shown what it is about.
  if (isSuccess(bare) || !isSuccess(answer)) unlessOpen(bare, operation, answer)
  await unlessLent(context, spoilt, answer)
  expectUnauthorized(control, answer)
}
