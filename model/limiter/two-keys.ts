// Whether two keys share one count: their numbers form one falling sequence.

import { asHeader } from '../clause.ts'
import { type Call, isBefore } from './calls.ts'
import type { OfKey } from './laws.ts'

/** Calls of one key, one after another, and those of one other key right after them. */
interface Turn {
  readonly key: string
  readonly calls: Call[]
}

/** Calls of the keys of one plan, each of which may follow the one before it. */
interface Run {
  latest: Call
  /** The last of its turns: as many as tell. */
  turns: Turn[]
  /** How many it has had, since the last occasion. */
  count: number
}

const keyOf = ({ exchange }: Call): string => exchange.key ?? ''

const isCounted = (call: Call): boolean => call.served && call.quiet && call.window !== undefined

/** Whether the number of the second is that of one count, or of none that the first has part in. */
const follows = (from: Call, to: Call): boolean =>
  isCounted(from) &&
  isCounted(to) &&
  isBefore(from, to) &&
  from.window?.name === to.window?.name &&
  from.window?.limit === to.window?.limit

const isNext = (from: Call, to: Call): boolean =>
  follows(from, to) && to.remaining === from.remaining - 1

/** Turns in a row that show whether a call of either key is counted on the other. */
const minTurns = 4

/** Whether these are turns of two keys alone. */
const areOfTwo = (turns: readonly Turn[]): boolean =>
  new Set(turns.map(({ key }) => key)).size === 2

const isOneSequence = (calls: readonly Call[]): boolean =>
  calls.every((call, at) => at === 0 || isNext(calls[at - 1] as Call, call))

/**
 * One key, another, the first and the other again: with a count each, the calls of one leave no gap
 * in the numbers of the other. A client that uses one of the keys too fills no gap of both.
 * @returns looks at each call of any key, in the order of sending
 */
export const countedTogether = ({
  breach,
  tried,
}: Pick<OfKey, 'breach' | 'tried'>): ((call: Call) => void) => {
  const runs = new Map<number | undefined, Run>()
  const runTo = (call: Call): Run => {
    const plan = call.exchange.quota?.perMinute
    const known = runs.get(plan)
    const run = known && follows(known.latest, call) ? known : { latest: call, turns: [], count: 0 }
    run.latest = call
    runs.set(plan, run)
    return run
  }
  return (end) => {
    const run = runTo(end)
    const turn = run.turns.at(-1)
    if (turn?.key === keyOf(end)) {
      turn.calls.push(end)
      return
    }
    run.turns = [...run.turns, { key: keyOf(end), calls: [end] }].slice(-minTurns)
    run.count += 1
    const [first, ...more] = run.turns
    if (!first || run.turns.length < minTurns || !areOfTwo(run.turns)) return
    tried('count-per-key', end)
    const calls = [...first.calls.slice(-1), ...more.flatMap((each) => each.calls)]
    // Occasions share no turn.
    if (run.count < minTurns || !isOneSequence(calls)) return
    run.count = 0
    breach({
      law: 'count-per-key',
      place: [...new Set(run.turns.map(({ key }) => key))].sort().join(' '),
      calls,
      expected: 'a count for each of the keys',
      actual: `one falling sequence: ${calls
        .map((call) => `${call.remaining} (${keyOf(call)})`)
        .join(', ')}`,
      wrong: asHeader('X-RateLimit-Remaining', 'one count for two keys'),
    })
  }
}
