// Rows without a valid key: every such request must get 401. The clauses of errors judge the body.

import type { Context, Forgery } from '../../engine/check/context.ts'
import { type Check, check } from '../../engine/check/declare.ts'
import { expectEach } from '../../engine/check/findings.ts'
import { allKeys } from '../../engine/check/spendable-keys.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  isSuccess,
  statusCode,
  unauthorized,
} from '../../history/exchange.ts'
import { printJson } from '../../history/json.ts'
import { hasMalformedKey, isFromBelow, type Operation } from '../../history/operations.ts'
import { completes, Untested } from '../../history/outcome.ts'
import { violateStatus } from '../../model/clause.ts'
import type { Plan } from '../../spec/plans.ts'
import type { BindingRequirementId } from '../../spec/requirements.ts'
import { controlFailed, operationNames, whenScarce } from '../pets/requests.ts'
import type { Spoil } from './spoil.ts'

/** One request without a valid key: a valid one of the operation, spoiled. */
export type Keyless = readonly [operation: Operation, spoil: Spoil]

export interface KeylessRow {
  readonly id: string
  readonly requirement: BindingRequirementId
  /** What is sent instead of a valid key: `with the first half of a valid key`. */
  readonly words: string
  readonly requests: readonly Keyless[]
  /** So many of them are sent where requests are scarce. */
  readonly few?: number
  /** The plan whose key is spoiled, if not any. */
  readonly plan?: Plan
}

/** The control request; a creation gets a new name, so that its pet can be recognised. */
const validOf = (
  operation: Operation,
  { apiRequest }: AnsweredExchange,
  { newPet }: Context,
): ApiRequest =>
  operation === 'create' ? { ...apiRequest, body: printJson(newPet()) } : apiRequest

/**
 * The response to a valid request without any key, on a connection of its own; sent once per run.
 * It is the control of requests that send something else instead of a key.
 */
export const withoutKey = (context: Context, operation: Operation): Promise<AnsweredExchange> =>
  context.once(`${operation} without a key`, async () => {
    const control = await context.control(operation)
    const bare = unauthorized(validOf(operation, control, context))
    const [response] = await context.together([bare])
    return response ?? control
  })

/** Of nothing but a valid request: what any other credential is compared with. */
export const bare: Spoil = (valid) => unauthorized(valid)

/** A server that requires no key at all has one fault, which one check reports. */
export const unlessOpen = (
  open: AnsweredExchange,
  operation: Operation,
  ...evidence: AnsweredExchange[]
): void => {
  if (statusCode(open) === 401) return
  const message = `without any key the response is ${statusCode(open)}, not 401`
  const because = `${message}: see auth-missing-${operation}-401`
  throw new Untested('blocked', because, [open, ...evidence])
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
  if (spoil === bare) {
    const response = await withoutKey(context, operation)
    if (statusCode(response) !== 401) violateStatus('status 401', control, response)
    return
  }
  const invalid = spoil(validOf(operation, control, context), context)
  const response = await context.call(invalid)
  if (statusCode(response) === 401) return
  // `auth-malformed-401` judges it.
  if (statusCode(response) === 400 && hasMalformedKey(response)) return
  if (isFromBelow(response)) {
    const message = `the HTTP server may have refused this header: ${statusCode(response)}`
    throw new Untested('ambiguous', message, [control, response])
  }
  const open = await withoutKey(context, operation)
  // If it is served and a request without any key is not, the invalid key was accepted.
  if (isSuccess(open) || !isSuccess(response)) unlessOpen(open, operation, response)
  await unlessRemembered(context, invalid, response)
  violateStatus('status 401', control, response)
}

/** Those whose control request succeeds and may be sent: one that fails hides no other. */
const usable = async (context: Context, all: readonly Keyless[]): Promise<readonly Keyless[]> => {
  const served = new Map<Operation, boolean>()
  for (const operation of new Set(all.map(([each]) => each))) {
    const isAllowed = operation !== 'create' || context.allow.includes('write')
    served.set(operation, isAllowed && (await completes(context.control(operation))))
  }
  const found = all.filter(([operation]) => served.get(operation))
  return found.length > 0 ? found : all
}

/** Why it may be unknown whether something was accepted as a key. */
export const unlessRequired = (...operations: readonly Operation[]): string => {
  const missing = operations.map((operation) => `\`auth-missing-${operation}-401\``).join(', ')
  const controls = operations.map((operation) => controlFailed[operation])
  return (
    `${controls.join(', ')}; or a request without any key does not get 401 either (blocked), ` +
    `which ${missing} reports; or the key cannot be spoiled so, or an HTTP server in front may ` +
    'have refused the header (ambiguous)'
  )
}

/** A row whose requests must all get 401, each next to its valid request. */
export const keyless = (row: KeylessRow): Check => {
  const { id, requirement, words, requests, few = requests.length, plan } = row
  const operations = [...new Set(requests.map(([operation]) => operation))]
  const [only] = operations.length === 1 ? operations : []
  const counts = operations.map((operation) => {
    const { length } = requests.filter(([each]) => each === operation)
    return `${length > 1 ? length : 'One'} valid ${operationNames[operation]}`
  })
  return check({
    id,
    requirement,
    condition: words.replaceAll('`', ''),
    needs: {
      stage: 'unauthenticated',
      // The target may wrongly accept the creation.
      ...(only === 'create' && { allow: ['write'] }),
      ...(only === 'get' && { getPet: true }),
      ...(plan && { plan }),
    },
    sends: `${counts.join(', ')}, ${words}${few < requests.length ? `; ${few}${whenScarce}` : ''}.`,
    fails:
      'Any status other than 401, save 400 to credentials that are not a scheme and one token, ' +
      'which `auth-malformed-401` judges. The valid request differs only in the key.',
    inconclusive: unlessRequired(...operations),
    run: async (context) => {
      const key = plan && allKeys(context.limits).find((each) => each.plan === plan)
      const ofKey = { ...context, forge: (make: Forgery) => context.forge(make, key?.label) }
      const sent = context.sample(await usable(context, requests), few)
      await expectEach(sent, ([operation, spoil]) =>
        expectKeyRequired(key ? ofKey : context, operation, spoil),
      )
    },
  })
}
