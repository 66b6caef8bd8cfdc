// What was found out lately, kept while there is room: the rest is found out again when asked for.
// Nothing is kept beyond what it was found out of, so a run that is over leaves nothing behind.

interface Found<Key extends WeakKey, Value> {
  readonly value: Value
  readonly weight: number
  readonly key: WeakRef<Key>
}

export interface Lately<Key extends WeakKey, Value> {
  readonly get: (key: Key) => Value | undefined
  readonly put: (key: Key, value: Value, weight: number) => void
}

/** @param most the weight that is kept; the last one stays, however much it weighs */
export const createLately = <Key extends WeakKey, Value>(most: number): Lately<Key, Value> => {
  const all = new WeakMap<Key, Found<Key, Value>>()
  // A map is in the order of insertion: what was not asked for longest stands first.
  const weights = new Map<WeakRef<Key>, number>()
  let kept = 0

  const letGo = (ref: WeakRef<Key>): void => {
    kept -= weights.get(ref) ?? 0
    weights.delete(ref)
    const key = ref.deref()
    if (key !== undefined) all.delete(key)
  }

  return {
    get: (key) => {
      const found = all.get(key)
      if (found === undefined) return undefined
      weights.delete(found.key)
      weights.set(found.key, found.weight)
      return found.value
    },
    put: (key, value, weight) => {
      const before = all.get(key)
      if (before) letGo(before.key)
      for (const oldest of weights.keys()) {
        if (kept + weight <= most) break
        letGo(oldest)
      }
      const ref = new WeakRef(key)
      all.set(key, { value, weight, key: ref })
      weights.set(ref, weight)
      kept += weight
    },
  }
}
