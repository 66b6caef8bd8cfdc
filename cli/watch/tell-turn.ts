// What a round changed, in a few lines.

import { visible } from '../../reports/visible.ts'
import { count } from '../../suites/kit/count.ts'
import type { Turn } from './standing.ts'

const linesMost = 20
const whyMost = 100

const group = (title: string, lines: readonly string[]): string[] => {
  const left = lines.length - linesMost
  return [
    ...lines.slice(0, linesMost).map((line) => `  ${title.padEnd(12)}  ${line}`),
    ...(left > 0 ? [`  ${title.padEnd(12)}  and ${left} more`] : []),
  ]
}

/** @param before the number of the round that it is held against */
export const tellTurn = (turn: Turn, before: number): string => {
  const { nowPasses, stillFails, newlyFails, undecided } = turn
  const lines = [
    ...group('now passes', nowPasses),
    ...group(
      'not decided',
      undecided.map(([id, why]) => `${id}: ${visible(why).slice(0, whyMost)}`),
    ),
    ...group('still fails', stillFails),
    ...group('newly fails', newlyFails),
  ]
  if (lines.length === 0) return `Since round ${before}, nothing changed, and nothing fails.\n`
  const changes = nowPasses.length + undecided.length + newlyFails.length
  const head = changes === 0 ? 'nothing changed' : count(changes, 'check changed', 'checks changed')
  return `Since round ${before}, ${head}:\n${lines.join('\n')}\n`
}
