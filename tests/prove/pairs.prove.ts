// Conditions in headlines over all mutants of the contract: how many have a pair, whether each pair
// holds at a new server, and how long the requests are that show them.
import { expect, test } from 'vitest'
import type { Condition } from '../../proof/conditions.ts'
import { makeTarget, servers } from '../../proof/subjects.ts'
import { type Pairs, replayPairs, shownIn } from '../replay-pairs.ts'

const own = servers.filter(
  ({ kind, suite, variant }) =>
    kind === 'mutant' && suite === 'contract' && variant.description === undefined,
)

/** The request that shows a headline, as it is printed. */
const requestsOf = ({ run }: Pairs): readonly string[] =>
  shownIn(run).flatMap(({ shown, evidence }) => {
    const { curl, together } = shown.evidence ?? evidence ?? {}
    return together?.script ?? curl ?? []
  })

test.each<Condition>(['oneKey', 'full'])(
  '%s: at least 85 % of conditions have a pair, and all pairs hold',
  async (condition) => {
    const all: (readonly [id: string, pairs: Pairs])[] = []
    for (const server of own) {
      all.push([server.id, await replayPairs(makeTarget(server), condition, 7)])
    }
    const [named, paired] = (['named', 'paired'] as const).map((each) =>
      all.reduce((sum, [, pairs]) => sum + pairs[each], 0),
    ) as [number, number]
    const lengths = all
      .flatMap(([id, pairs]) => requestsOf(pairs).map(({ length }) => [length, id] as const))
      .sort(([a], [b]) => a - b)
    const median = lengths[Math.floor(lengths.length / 2)]?.[0]
    const longest = lengths.slice(-10).map((each) => each.join(' '))
    console.log(
      `${condition}: ${paired} of ${named} conditions have a pair; ${lengths.length} requests, ` +
        `median ${median} characters; the longest: ${longest.join(', ')}`,
    )
    expect(all.flatMap(([id, { broken }]) => broken.map((each) => `${id}: ${each}`))).toEqual([])
    expect(paired / named).toBeGreaterThanOrEqual(0.85)
    expect(median).toBeLessThan(200)
    const short = lengths.filter(([length]) => length <= 600)
    expect(short.length / lengths.length).toBeGreaterThanOrEqual(0.95)
  },
  60 * 60_000,
)
