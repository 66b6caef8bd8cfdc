// Derives something from an object once, such as the numbers in the headers of an exchange.

/** The same function, with each result kept as long as its argument. */
export const memoized = <Key extends object, Value>(
  derive: (key: Key) => Value,
): ((key: Key) => Value) => {
  const results = new WeakMap<Key, { readonly value: Value }>()
  return (key) => {
    let result = results.get(key)
    if (result === undefined) {
      result = { value: derive(key) }
      results.set(key, result)
    }
    return result.value
  }
}
