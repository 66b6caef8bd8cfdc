// A number of things in words.

/** `1 request`, `2 requests`, `0 requests`. */
export const count = (number: number, one: string, many: string): string =>
  `${number} ${number === 1 ? one : many}`
