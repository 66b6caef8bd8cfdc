// Every request without a valid key must get 401. The invariants of errors judge the body.

import type { Context } from '../../engine/check/context.ts'
import type { Needs } from '../../engine/check/declare.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  isSuccess,
  statusCode,
  unauthorized,
} from '../../engine/check/exchange.ts'
import { violateStatus } from '../../engine/check/expect.ts'
import { printJson } from '../../engine/check/json.ts'
import { hasMalformedKey, isFromBelow, type Operation } from '../../engine/check/operations.ts'
import { completes, Untested } from '../../engine/check/outcome.ts'
import { controlFailed } from '../pets/requests.ts'
import type { Spoil } from './spoil.ts'

export const needsWithoutKey = (operation: Operation): Needs => ({
  stage: 'unauthenticated',
  keyed: 0,
  anonymous: 1,
  // The target may wrongly accept the creation.
  ...(operation === 'create' && { allow: ['write'] }),
  ...(operation === 'get' && { getPet: true }),
})

/** Why it may be unknown whether something was accepted as a key. */
export const unlessRequired = (...operations: readonly Operation[]): string => {
  const missing = operations.map((operation) => `\`auth-missing-${operation}-401\``).join(', ')
  const controls = operations.map((operation) => controlFailed[operation])
  return (
    `${controls.join(', ')}; or a request without any key does not get 401 either (blocked), ` +
    `which ${missing} reports`
  )
}

/** Those whose control request succeeds and may be sent: one that fails hides no other. */
export const usable = async (
  context: Context,
  operations: readonly Operation[],
): Promise<readonly Operation[]> => {
  const found: Operation[] = []
  for (const operation of operations) {
    const isAllowed = operation !== 'create' || context.allow.includes('write')
    if (isAllowed && (await completes(context.control(operation)))) found.push(operation)
  }
  return found.length > 0 ? found : operations
}

export const expectUnauthorized = (control: AnsweredExchange, response: AnsweredExchange): void => {
  if (statusCode(response) !== 401) violateStatus('status 401', control, response)
}

/** The control request; a creation gets a new name, so that its pet can be recognised. */
const validOf = (
  operation: Operation,
  { apiRequest }: AnsweredExchange,
  { newPet }: Context,
): ApiRequest =>
  operation === 'create' ? { ...apiRequest, body: printJson(newPet()) } : apiRequest

const bareOf = (operation: Operation): string => `${operation} without a key`
/** What several checks call the list without a key. */
export const bareList = bareOf('list')

/**
 * The response to a valid request without any key, on a connection of its own; sent once per run.
 * It is the control of requests that send something else instead of a key.
 */
export const withoutKey = (context: Context, operation: Operation): Promise<AnsweredExchange> =>
  context.once(bareOf(operation), async () => {
    const control = await context.control(operation)
    const bare = unauthorized(validOf(operation, control, context))
    const [response] = await context.together([bare])
    return response ?? control
  })

/** A server that requires no key at all has one fault, which one check reports. */
export const unlessOpen = (
  bare: AnsweredExchange,
  operation: Operation,
  ...evidence: AnsweredExchange[]
): void => {
  if (statusCode(bare) === 401) return
  const message = `without any key the response is ${statusCode(bare)}, not 401`
  const because = `${message}: see auth-missing-${operation}-401`
  throw new Untested('blocked', because, [bare, ...evidence])
}

/** A connection that remembers the key of an earlier request has another fault. */
const unlessRemembered = async (
  context: Context,
  request: ApiRequest,
  response: AnsweredExchange,
): Promise<void> => {
  const [alone = response] = await context.together([request])
  if (statusCode(alone) !== 401) return
  const message = 'on a new connection it gets 401: see auth-connection-list-401'
  throw new Untested('blocked', message, [response, alone])
}

export const expectKeyRequired = async (
  context: Context,
  operation: Operation,
  spoil: Spoil,
): Promise<void> => {
  const control = await context.control(operation)
  const invalid = spoil(validOf(operation, control, context), context)
  const response = await context.call(invalid)
  if (statusCode(response) === 401) return
  // `auth-malformed-401` judges it.
  if (statusCode(response) === 400 && hasMalformedKey(response)) return
  if (isFromBelow(response)) {
    const message = `the HTTP server may have refused this header: ${statusCode(response)}`
    throw new Untested('ambiguous', message, [control, response])
  }
  const bare = await withoutKey(context, operation)
  // If it is served and a request without any key is not, the invalid key was accepted.
  if (isSuccess(bare) || !isSuccess(response)) unlessOpen(bare, operation, response)
  await unlessRemembered(context, invalid, response)
  expectUnauthorized(control, response)
}
