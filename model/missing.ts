// What the pets that a list lacks have in common, and none that it shows.
import type { AnsweredExchange } from '../history/exchange.ts'
import type { History } from '../history/history.ts'
import type { Json } from '../history/json.ts'
import type { Creation } from '../history/known-pets.ts'
import { servedQuery } from './read.ts'
import { statuses } from './read-body.ts'

/** Of fewer it may be chance. */
const minOfEach = 5

type Trait = readonly [words: string, isOf: (creation: Creation) => boolean]

const traitsFor = ({ key }: AnsweredExchange): readonly Trait[] => [
  ['without a status', ({ sent }) => sent.status === undefined],
  ...statuses.map(
    (status): Trait => [`with status ${status}`, ({ sent }) => sent.status === status],
  ),
  ['with another key', ({ exchange }) => exchange.key !== key],
]

const seqOf = ({ exchange }: Creation): number => exchange.seq

const common = (
  missing: readonly Creation[],
  shown: readonly Creation[],
  traits: readonly Trait[],
): string | undefined => {
  const [trait] = traits.find(([, isOf]) => missing.every(isOf) && !shown.some(isOf)) ?? []
  if (trait !== undefined) return trait
  const [first, last] = [Math.min(...shown.map(seqOf)), Math.max(...shown.map(seqOf))]
  if (missing.every((one) => seqOf(one) > last)) return 'after all that it has'
  return missing.every((one) => seqOf(one) < first) ? 'before all that it has' : undefined
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
  const [missing, shown] = [
    made.filter(({ id }) => !ids.has(id)),
    made.filter(({ id }) => ids.has(id)),
  ]
  if (missing.length < minOfEach || shown.length < minOfEach) return ''
  const words = common(missing, shown, traitsFor(list))
  const others = known.filter((id) => !ids.has(id)).length - 1
  return words === undefined ? '' : ` and ${others} others, created ${words}`
}
