// What the pets that a list lacks have in common, and none that it shows.
import type { AnsweredExchange } from '../history/exchange.ts'
import type { History } from '../history/history.ts'
import type { Json } from '../history/json.ts'
import type { Creation } from '../history/known-pets.ts'
import { minNoChance } from './conditions.ts'
import { servedQuery } from './read.ts'
import { statuses } from './read-body.ts'

type Trait = readonly [words: string, isOf: (creation: Creation) => boolean]

const seqOf = ({ exchange }: Creation): number => exchange.seq

/** What all that are missing are, and none that the list has. */
const common = (
  missing: readonly Creation[],
  shown: readonly Creation[],
  { key }: AnsweredExchange,
): string | undefined => {
  const [first, last] = [Math.min(...shown.map(seqOf)), Math.max(...shown.map(seqOf))]
  const traits: readonly Trait[] = [
    ['without a status', ({ sent }) => sent.status === undefined],
    ...statuses.map((each): Trait => [`with status ${each}`, ({ sent }) => sent.status === each]),
    ['with another key', ({ exchange }) => exchange.key !== key],
    ['after all that it has', (one) => seqOf(one) > last],
    ['before all that it has', (one) => seqOf(one) < first],
  ]
  return traits.find(([, isOf]) => missing.every(isOf) && !shown.some(isOf))?.[0]
}

/**
 * @param known the ids of pets that must be in a list, and @param ids those that it has
 * @returns `and 41 others, all created without a status`; empty where nothing separates them
 */
export const describeMissing = (
  list: AnsweredExchange,
  known: readonly bigint[],
  ids: ReadonlySet<Json | undefined>,
  { knownPets }: History,
): string => {
  // Which of them a longer list has is open.
  if (ids.size >= (servedQuery(list)?.limit ?? 0)) return ''
  const made = known.flatMap((id) => knownPets.creationOf(id) ?? [])
  const missing = made.filter(({ id }) => !ids.has(id))
  const shown = made.filter(({ id }) => ids.has(id))
  if (missing.length < minNoChance || shown.length < minNoChance) return ''
  const words = common(missing, shown, list)
  const others = known.filter((id) => !ids.has(id)).length - 1
  return words === undefined ? '' : ` and ${others} others, created ${words}`
}
