// What was found out lately, kept while there is room: the rest is found out again when asked for.

interface Found<Value> {
  readonly value: Value
  readonly weight: number
}

export interface Lately<Key, Value> {
  readonly get: (key: Key) => Value | undefined
  readonly put: (key: Key, value: Value, weight: number) => void
}

/** @param most the weight that is kept; the last one stays, however much it weighs */
export const createLately = <Key, Value>(most: number): Lately<Key, Value> => {
  // A map is in the order of insertion: what was not asked for longest stands first.
  const all = new Map<Key, Found<Value>>()
  let kept = 0

  const remove = (key: Key): Found<Value> | undefined => {
    const found = all.get(key)
    if (found === undefined) return undefined
    all.delete(key)
    kept -= found.weight
    return found
  }

  const add = (key: Key, found: Found<Value>) => {
    all.set(key, found)
    kept += found.weight
  }

  return {
    get: (key) => {
      const found = remove(key)
      if (found === undefined) return undefined
      add(key, found)
      return found.value
    },
    put: (key, value, weight) => {
      remove(key)
      for (const oldest of all.keys()) {
        if (kept + weight <= most) break
        remove(oldest)
      }
      add(key, { value, weight })
    },
  }
}
