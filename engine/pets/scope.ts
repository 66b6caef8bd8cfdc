// What each key was shown of the pets: how keys are scoped is open (Authentication 5), so a pet
// need not be there for a key that was never shown it, nor any other of its maker.

import type { Scope } from '../context.ts'

/** A scope that learns. */
interface OpenScope extends Scope {
  /** A pet was missing for a key; ignored where the key knows the pet. */
  readonly miss: (key: string, id: bigint) => void
}

export interface Scopes {
  readonly lists: OpenScope
  readonly fetches: OpenScope
  /** A key was shown a pet, in a list or by its id. */
  readonly show: (key: string, id: bigint) => void
  /** Whether a key was shown a pet that another one created, or was shown too. */
  readonly isShared: () => boolean
}

const setOf = <T>(sets: Map<string, Set<T>>, key: string): Set<T> => {
  const set = sets.get(key) ?? new Set<T>()
  sets.set(key, set)
  return set
}

/** @param makerOf the key with which this run created a pet */
export const createScopes = (makerOf: (id: bigint) => string | undefined): Scopes => {
  const shown = new Map<string, Set<bigint>>()
  /** By key: the keys of whose pets it was shown one, and so must be shown all. */
  const reads = new Map<string, Set<string>>()
  let shared = false

  const isKnown = (key: string | null, id: bigint): boolean => {
    if (key === null || shown.get(key)?.has(id)) return true
    const maker = makerOf(id)
    return maker !== undefined && (maker === key || reads.get(key)?.has(maker) === true)
  }

  const knower = (ids: readonly bigint[]): string | undefined => {
    const known = [...shown.keys()].map((key) => ({
      key,
      most: ids.filter((id) => isKnown(key, id)).length,
    }))
    return known.toSorted((a, b) => b.most - a.most).find(({ most }) => most > 0)?.key
  }

  const open = (): OpenScope => {
    let apart = false
    return {
      isKnown,
      knower,
      chosen: (ids) => (apart ? knower(ids) : undefined),
      isApart: () => apart,
      miss: (key, id) => {
        if (makerOf(id) !== undefined && !isKnown(key, id)) apart = true
      },
    }
  }

  return {
    lists: open(),
    fetches: open(),
    isShared: () => shared,
    show: (key, id) => {
      const maker = makerOf(id)
      shared ||= [...shown].some(([other, ids]) => other !== key && ids.has(id))
      setOf(shown, key).add(id)
      if (maker !== undefined && maker !== key) setOf(reads, key).add(maker)
    },
  }
}
