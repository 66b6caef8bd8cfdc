// What every request without a valid key must be answered: 401. That an Error comes with it is a
// sentence about every refusal.
import type { Operation } from '../answers.ts'
import type { Needs } from '../kit/check.ts'
import type { Context } from '../kit/context.ts'
import type { Answered } from '../kit/exchange.ts'
import { statusOf } from '../kit/exchange.ts'
import { told, violate } from '../kit/expect.ts'
import { printJson } from '../kit/json.ts'
import type { ApiRequest } from '../kit/request.ts'
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

/** The sound request of an operation, spoilt, is answered 401. */
export const demandKey = async (
  context: Context,
  operation: Operation,
  spoil: Spoil,
): Promise<void> => {
  const control = await context.control(operation)
  const sound = soundOf(operation, control, context)
  expectUnauthorized(control, await context.call(spoil(sound, context)))
}
