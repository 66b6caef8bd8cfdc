// Values as they are typed: numbers, addresses, plans and permissions, each checked; and the error
// of wrong usage (exit 2), with what was meant.

import { type Permission, permissions } from '../engine/check/context.ts'
import { maxInt64, minInt64 } from '../history/json.ts'
import { type Plan, planNames } from '../spec/plans.ts'

/** Its message is one line: what is wrong, then what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError'

  constructor(message: string) {
    super(message)
    // Node prints the stack of what a program does not catch: the mistake is in what was given.
    this.stack = `UsageError: ${message}`
  }
}

/** @returns what `act` returns; what it throws becomes one line */
export const orRefuse = <T>(act: () => T, lineOf: (error: NodeJS.ErrnoException) => string): T => {
  try {
    return act()
  } catch (error) {
    throw new UsageError(lineOf(error as NodeJS.ErrnoException))
  }
}

/** The known word that was probably meant; undefined where more than a third of it differs. */
export const nearest = (word: string, known: readonly string[]): string | undefined => {
  const [best] = known
    .map((each) => ({ each, edits: editsBetween(word, each) }))
    .sort((a, b) => a.edits - b.edits)
  return best && best.edits <= Math.ceil(word.length / 3) ? best.each : undefined
}

/** The end of a message: the nearest word, or another hint where there is none. */
export const didYouMean = (word: string, known: readonly string[], otherwise?: string): string => {
  const meant = nearest(word, known)
  const hint = meant ? `did you mean ${meant}?` : otherwise
  return hint === undefined ? '' : `; ${hint}`
}

const maxWordLength = 100

/** Letters to insert, delete, change or swap. */
const editsBetween = (a: string, b: string): number => {
  if (a.length > maxWordLength || b.length > maxWordLength) return Number.POSITIVE_INFINITY
  const table = Array.from({ length: a.length + 1 }, (_, i) => [i])
  const edits = (i: number, j: number) => table[i]?.[j] ?? Number.POSITIVE_INFINITY
  for (let j = 1; j <= b.length; j++) table[0]?.push(j)
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const changed = edits(i - 1, j - 1) + (isSame ? 0 : 1)
      const swapped = isSwap ? edits(i - 2, j - 2) + 1 : changed
      table[i]?.push(Math.min(changed, swapped, edits(i - 1, j) + 1, edits(i, j - 1) + 1))
    }
  }
  return edits(a.length, b.length)
}

export interface Bounds {
  readonly min: number
  readonly max: number
}

export const seedBounds: Bounds = { min: 0, max: 2 ** 31 - 1 }
export const portBounds: Bounds = { min: 0, max: 65_535 }

const within =
  (form: RegExp, what: string) =>
  (flag: string, text: string, { min, max }: Bounds): number => {
    const value = form.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    throw new UsageError(`${flag} takes ${what} from ${min} to ${max}, not "${text}"`)
  }

export const wholeNumber = within(/^\d{1,15}$/, 'a whole number')

export const readSeconds = within(/^\d{1,9}(\.\d{1,3})?$/, 'seconds')

/** An identifier of the interface, exact at any size. */
export const readInt64 = (place: string, text: string): bigint => {
  const value = /^[+-]?\d{1,25}$/.test(text) ? BigInt(text.replace('+', '')) : undefined
  if (value !== undefined && value >= minInt64 && value <= maxInt64) return value
  throw new UsageError(`${place} takes an int64, not "${text}"`)
}

/** What an address of each looks like, where it is not a base URL. */
const examples: Readonly<Record<string, string>> = {
  clock: 'http://127.0.0.1:8081/clock',
  description: 'http://127.0.0.1:8080/openapi.json',
}

/** @param name of the address, as messages call it: `base URL`, `clock`, `description` */
export const readAddress = (name: string, text: string): URL => {
  if (!URL.canParse(text)) {
    const example = examples[name] ?? 'http://127.0.0.1:8080/v1'
    throw new UsageError(`invalid ${name}; expected for example ${example}`)
  }
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new UsageError(`invalid ${name}: it must begin with http:// or https://`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError(`invalid ${name}: it must contain no user or password`)
  }
  return url
}

/** Paths are appended to a base URL, so it must end with its own. */
export const readBaseUrl = (text: string): URL => {
  const url = readAddress('base URL', text)
  // `url.search` is empty for an empty query, which is part of the address all the same.
  if (!/[?#]/.test(url.href)) return url
  throw new UsageError('invalid base URL: it must end with its path, without query or fragment')
}

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host)

/**
 * @param form message for a word that is no plan: it may be a key, and is not repeated
 * @throws UsageError
 */
export const readPlan = (word: string, form: string): Plan => {
  const plan = planNames.find((each) => each === word)
  if (plan) return plan
  throw new UsageError(`${form}; the plans are ${planNames.join(', ')}`)
}

/** `--allow write,exhaust`, or `none`. */
export const readPermissions = (given: readonly string[]): readonly Permission[] => {
  const words = given.flatMap((text) => text.split(',')).map((word) => word.trim())
  if (words.join() === 'none') return []
  const wrong = words.find((word) => !permissions.some((each) => each === word))
  if (wrong === undefined) return permissions.filter((each) => words.includes(each))
  const available = `${permissions.join(', ')}, or none alone`
  throw new UsageError(`unknown permission "${wrong}"; available: ${available}`)
}

/** Reads only at a remote target; a day's quota is never spent in real time unless allowed. */
export const defaultPermissions = (baseUrl: URL, hasClock: boolean): readonly Permission[] => {
  if (!isLoopback(baseUrl.hostname)) return []
  return hasClock ? permissions : permissions.filter((each) => each !== 'day')
}
