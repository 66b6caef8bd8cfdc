// A gateway in front of a target that does not reach it for a moment: 502, 503, 504, and what CDNs
// add to them. What is served when it is sent again was no response of the target's own.
import type { Ask } from './asker.ts'
import type { Answered } from './exchange.ts'
import { statusOf } from './exchange.ts'

export interface Gateway {
  /** Sends once more what such a status was the response to. */
  readonly ask: Ask
  /** What has come out since this was last asked, a sentence for each. */
  readonly news: () => readonly string[]
}

interface Parts {
  readonly ask: Ask
  /** All whole responses so far; what a gateway said for a moment is taken out of it. */
  readonly trace: Answered[]
  readonly pause: (ms: number) => Promise<void>
}

const pauseMs = 1_000
/** So often in a run it may be chance; a target that fails again and again is judged. */
const maxPassing = 2
/** Nor is it sent again more often than this where it fails again. */
const maxRepeated = 3

const isOfGateway = (exchange: Answered): boolean => {
  const status = statusOf(exchange)
  return [502, 503, 504].includes(status) || (status >= 520 && status <= 527)
}

export const createGateway = ({ ask, trace, pause }: Parts): Gateway => {
  let passing = 0
  let repeated = 0
  let news: string[] = []
  const isWorthAsking = () => passing < maxPassing && repeated < maxRepeated

  return {
    ask: async (check, asked, own) => {
      const exchange = await ask(check, asked, own)
      // What a refusal looks like is judged as it came.
      if (asked.insists || !isOfGateway(exchange) || !isWorthAsking()) return exchange
      await pause(pauseMs)
      const again = await ask(check, asked, own)
      if (statusOf(again) >= 500) {
        repeated += 1
        return again
      }
      passing += 1
      const at = trace.indexOf(exchange)
      if (at >= 0) trace.splice(at, 1)
      const [was, is] = [statusOf(exchange), statusOf(again)]
      news = [
        ...news,
        `${check} got ${was}, and ${is} when its request was sent again: a gateway may have been ` +
          `in the way, and the ${was} is not judged`,
      ]
      return again
    },
    news: () => {
      const said = news
      news = []
      return said
    },
  }
}
