// Requests that tell whether something legal explains a status that is not due.
import type { AnsweredExchange, ApiRequest } from '../../history/exchange.ts'
import type { Explanation } from '../../model/status.ts'
import type { Context } from './context.ts'
import { expectNotShutOut } from './control-request.ts'

/**
 * Sends what rules an explanation out, or shows that it holds; the history has the answer then.
 * @param bare makes the plain request of the operation, without a key
 * @throws Untested where the key is shut out
 */
export const confirm = async (
  context: Pick<Context, 'call' | 'together'>,
  response: AnsweredExchange,
  explanation: Explanation,
  bare: () => ApiRequest,
): Promise<void> => {
  if (explanation === 'banned') await expectNotShutOut(context, response)
  const isOfKey = ['kept by the connection', 'no key demanded'].includes(explanation)
  if (isOfKey) await context.together([response.apiRequest, bare()])
}
