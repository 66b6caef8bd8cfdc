// What else may explain a finding, asked in one place: requests that rule a legal explanation out,
// or show that it holds. The judge is asked again then.
import {
  type AnsweredExchange,
  get,
  isSuccess,
  statusCode,
  unauthorized,
  withKey,
} from '../../history/exchange.ts'
import type { History } from '../../history/history.ts'
import { Untested } from '../../history/outcome.ts'
import { isRefused } from '../../history/rate-headers.ts'
import { type Explanation, Unexplained } from '../../model/explanation.ts'
import type { Finding } from '../../model/judge.ts'
import { read } from '../../model/read.ts'
import { turnsFor } from '../../model/status.ts'
import type { Context } from '../check/context.ts'
import { groupOf } from '../check/findings.ts'
import { getPet, plainRequest } from '../check/requests.ts'
import type { Session } from './session.ts'

/** @returns the response that is judged then, if that is another one */
type Ask = (
  context: Context,
  response: AnsweredExchange,
  history: History,
) => Promise<AnsweredExchange | undefined>

/**
 * A key that is shut out says nothing about its request: another client may have drawn a ban, which
 * may have ended right after.
 * @throws Untested (blocked) unless a list with the same key is served right after
 */
const askKey: Ask = async ({ call }, response, history) => {
  const minTurns = turnsFor(response, history)
  // Neither a cache nor the connection may be what refuses it.
  const path = response.apiRequest.path === '/pets?limit=1' ? '/pets?limit=2' : '/pets?limit=1'
  for (let turns = 0; turns < minTurns; turns += 1) {
    const control = await call({ ...withKey(get(path), response.key), fresh: true })
    if (!isSuccess(control)) {
      const message = `the key gets ${statusCode(control)} for a list too`
      throw new Untested('blocked', message, [control])
    }
    const again = await call(withKey(response.apiRequest, response.key))
    if (statusCode(again) !== statusCode(response)) break
  }
  return undefined
}

/** On new connections: the same, and the plain request without anything in place of a key. */
const askKeyless: Ask = async (context, { apiRequest }) => {
  const { operation = 'list' } = read({ apiRequest })
  const isUnknown = operation === 'get' && context.knownPets.someId() === undefined
  const plain = isUnknown ? getPet(1n) : plainRequest[operation](context)
  const both = [apiRequest, unauthorized(plain)]
  await context.together(both.map((request) => ({ ...request, fresh: true })))
  return undefined
}

/** The same, once what is new must be shown. */
const askLater: Ask = async ({ aged, call }, { apiRequest, key }) => {
  await aged()
  return call(withKey(apiRequest, key))
}

/** What is sent; what is not here shows without a request whether it holds. */
const asks: Readonly<Partial<Record<Explanation, Ask>>> = {
  banned: askKey,
  'kept by the connection': askKeyless,
  'no key demanded': askKeyless,
  'shown late': askLater,
  'late in lists': askLater,
}

/** What it shows holds for all requests without a valid key of an operation that get a status. */
const isOfGroup = (explanation: Explanation): boolean => asks[explanation] === askKeyless

const askedOf = (explanation: Explanation, response: AnsweredExchange): string =>
  `${explanation} ${read(response).operation} ${statusCode(response)}`

/**
 * Asks for each legal explanation of what looks like a violation, each once.
 * @returns what the response violates, or that to the same request when it was sent again later
 * @throws Untested where its status may still be explained, or what `call` throws
 */
export const confirm = async (
  { history, judge, confirmed, failedAlone }: Session,
  context: Context,
  first: AnsweredExchange,
): Promise<readonly Finding[]> => {
  if (isRefused(first)) throw new Untested('blocked', `the key got ${statusCode(first)}`, [first])
  const asked = new Set<Explanation>()
  let response = first
  const doubtsIn = () => judge.doubtsAbout(response).filter((one) => one instanceof Unexplained)
  const nextIn = () =>
    doubtsIn()
      .map(({ explanation }) => explanation)
      .find((each) => !asked.has(each) && !confirmed.has(askedOf(each, response)))
  for (let next = nextIn(); next !== undefined; next = nextIn()) {
    asked.add(next)
    if (isOfGroup(next)) confirmed.add(askedOf(next, response))
    response = (await asks[next]?.(context, response, history)) ?? response
    judge.again(response)
  }
  const doubt = doubtsIn().find(({ explanation }) => explanation !== 'late in lists')
  if (doubt) throw new Untested('blocked', doubt.message, [response])
  const violations = judge.violatedBy(response)
  for (const { violation } of violations) failedAlone.add(groupOf(violation))
  return violations
}
