// Whether two keys share one count: their numbers form one falling sequence.

import { asHeader } from '../clause.ts'
import { type Call, isBefore } from './calls.ts'
import type { Breach } from './laws.ts'

/** Calls of one key, one after another, and those of one other key right after them. */
interface Turn {
  readonly key: string
  readonly calls: readonly Call[]
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

/** The calls of keys of one plan, in turns: a new one where another key is used. */
const turnsOf = (inOrder: readonly Call[]): Turn[][] => {
  const runs: Turn[][] = []
  let latest: Call | undefined
  for (const call of inOrder) {
    const run = latest && follows(latest, call) ? runs.at(-1) : undefined
    const turn = run?.at(-1)
    if (!run) runs.push([{ key: keyOf(call), calls: [call] }])
    else if (turn?.key === keyOf(call))
      run[run.length - 1] = { ...turn, calls: [...turn.calls, call] }
    else run.push({ key: keyOf(call), calls: [call] })
    latest = call
  }
  return runs
}

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
 * @param inOrder all calls of keys, by number
 */
export const countedTogether = (
  inOrder: readonly Call[],
  breach: (breach: Breach) => void,
  tried: (call: Call) => void,
): void => {
  const plans = Map.groupBy(inOrder, (call) => call.exchange.quota?.perMinute)
  for (const turns of [...plans.values()].flatMap(turnsOf)) {
    let begin = 0
    for (let at = minTurns; at <= turns.length; at += 1) {
      const row = turns.slice(at - minTurns, at)
      const [first, , , last] = row
      const end = last?.calls[0]
      if (!first || !end || !areOfTwo(row)) continue
      tried(end)
      const calls = [
        ...first.calls.slice(-1),
        ...row.slice(1, -1).flatMap((turn) => turn.calls),
        end,
      ]
      // Occasions share no turn.
      if (at - minTurns < begin || !isOneSequence(calls)) continue
      begin = at
      breach({
        law: 'count-per-key',
        place: [...new Set(row.map(({ key }) => key))].sort().join(' '),
        calls,
        expected: 'a count for each of the keys',
        actual: `one falling sequence: ${calls
          .map((call) => `${call.remaining} (${keyOf(call)})`)
          .join(', ')}`,
        wrong: asHeader('X-RateLimit-Remaining', 'one count for two keys'),
      })
    }
  }
}
