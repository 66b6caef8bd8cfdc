// What invariants derive from a trace is derived once, although each judges every response.

/** The same function with its results kept as long as their arguments. */
export const memoized = <Key extends object, Value>(
  derive: (key: Key) => Value,
): ((key: Key) => Value) => {
  const results = new WeakMap<Key, { readonly value: Value }>()
  return (key) => {
    const result = results.get(key) ?? { value: derive(key) }
    results.set(key, result)
    return result.value
  }
}
