// One load on several machines: which machine has which keys, so that none is on two of them.
import type { Plan } from '../spec/plans.ts'

export interface Shard {
  /** From 1. */
  readonly index: number
  readonly of: number
}

const machinesMost = 1_000

/** `2/3`; undefined for anything else. */
export const readShard = (text: string): Shard | undefined => {
  const [, first, second] = /^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []
  const shard = { index: Number(first), of: Number(second) }
  return shard.index >= 1 && shard.index <= shard.of && shard.of <= machinesMost ? shard : undefined
}

/** Of each plan the machines take keys in turn, in the order in which they are given. */
export const keysOfShard = <K extends { readonly plan: Plan }>(
  keys: readonly K[],
  { index, of }: Shard,
): readonly K[] => {
  const met = new Map<Plan, number>()
  return keys.filter(({ plan }) => {
    const position = met.get(plan) ?? 0
    met.set(plan, position + 1)
    return position % of === index - 1
  })
}

/** What a key that one machine calls `free-1` is called among all: by its place in the whole. */
export const labelInWhole = (label: string, { index, of }: Shard): string =>
  label.replace(/\d+$/, (position) => String((Number(position) - 1) * of + index))
