// Many requests with a key at once, and what becomes of them where some get no answer.

import type { Limits } from '../../engine/context.ts'
import type { Answered, ApiRequest } from '../../engine/exchange.ts'
import { NoAnswerError, Untested } from '../../engine/outcome.ts'
import { isRefused } from './reading.ts'

/** What no answer came to may have counted: then nothing can be said of the count. */
export const answered = async <T>(asked: Promise<T>): Promise<T> => {
  try {
    return await asked
  } catch (error) {
    if (!(error instanceof NoAnswerError)) throw error
    throw new Untested('ambiguous', `a request of it got no answer: ${error.message}`, [
      error.exchange,
    ])
  }
}

/** Whether it came to its end; what leaves it untested is passed over, but for the end of a run. */
export const orUntested = async (work: Promise<unknown>): Promise<boolean> => {
  try {
    await work
    return true
  } catch (error) {
    if (!(error instanceof Untested) || error.because === 'interrupted') throw error
    return false
  }
}

interface Flooded {
  readonly answers: readonly Answered[]
  readonly lost: number
}

/** As many connections as are opened for requests that are sent at the same time. */
const togetherMost = 64

/** Sends them as fast as connections come free; behind a refusal nothing is sent any more. */
export const flood = async (
  { flood: send }: Limits,
  label: string,
  requests: readonly ApiRequest[],
): Promise<Flooded> => {
  const ended: Promise<readonly Answered[]>[] = []
  let isOver = false
  const sendNext = async (): Promise<void> => {
    const request = requests[ended.length]
    if (!request || isOver) return
    const sent = send(label, [request])
    ended.push(sent)
    const [answer] = await sent.catch(() => [])
    isOver ||= answer !== undefined && isRefused(answer)
    await sendNext()
  }
  await Promise.all(Array.from({ length: togetherMost }, sendNext))
  const settled = await Promise.allSettled(ended)
  const failed = settled.filter((each) => each.status === 'rejected').map(({ reason }) => reason)
  const other = failed.find((error) => !(error instanceof NoAnswerError))
  if (other !== undefined) throw other
  const answers = settled.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
  return { answers, lost: failed.length }
}
