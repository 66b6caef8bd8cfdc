// The value of a header field, without what stands round it.

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09

/**
 * Space and tab around a value are no part of it (RFC 9110, 5.5). One look at each character: the
 * like by a pattern takes the square of the length, where a value has a long run of blanks inside.
 */
export const withoutEnds = (value: string): string => {
  let from = 0
  let to = value.length
  while (from < to && isBlank(value.charCodeAt(from))) from += 1
  while (to > from && isBlank(value.charCodeAt(to - 1))) to -= 1
  return value.slice(from, to)
}
