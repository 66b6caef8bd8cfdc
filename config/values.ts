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

/** Refuses what a program or a user gave, for a reason of one line. */
export const refuse = ({ message }: Error): never => {
  throw new UsageError(message)
}

/** The letters of a word, and the pairs of them, its ends included. */
const piecesOf = (word: string): Set<string> =>
  new Set([...word, ...Array.from(` ${word}`, (_, at) => ` ${word} `.slice(at, at + 2))])

/** The known word that was probably meant; undefined where it shares less than half of these. */
export const nearest = (word: string, known: readonly string[]): string | undefined => {
  const pieces = piecesOf(word)
  const likeness = (each: string) => {
    const others = piecesOf(each)
    return (2 * pieces.intersection(others).size) / (pieces.size + others.size)
  }
  const [best = ''] = known.toSorted((a, b) => likeness(b) - likeness(a))
  return likeness(best) >= 0.5 ? best : undefined
}

/** The end of a message: the nearest word, or another hint where there is none. */
export const didYouMean = (word: string, known: readonly string[], otherwise?: string): string => {
  const meant = nearest(word, known)
  const hint = meant ? `did you mean ${meant}?` : otherwise
  return hint === undefined ? '' : `; ${hint}`
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

const inSeconds = within(/^\d{1,9}(\.\d{1,3})?$/, 'seconds (90, 90s or 5m)')
const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 }

/** `90`, `90s`, `1.5m`, `1h` */
export const readSeconds: typeof inSeconds = (flag, text, bounds) => {
  const [, number = '', unit = ''] = /^(\d{1,6}(?:\.\d{1,3})?)([smh])$/.exec(text) ?? []
  return inSeconds(flag, number ? `${Number(number) * (units[unit] ?? 1)}` : text, bounds)
}

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

/**
 * Words as `a,b`, in the order of those that there are.
 * @throws UsageError for another one
 */
export const readWords = <W extends string>(
  what: string,
  given: readonly string[],
  available: readonly W[],
): readonly W[] => {
  const words = given.flatMap((text) => text.split(',')).map((word) => word.trim())
  const unknown = words.find((word) => !available.some((each) => each === word))
  if (unknown === undefined) return available.filter((each) => words.includes(each))
  throw new UsageError(`unknown ${what} "${unknown}"; available: ${available.join(', ')}`)
}

/** `--allow write,exhaust`, or `none` alone. */
export const readPermissions = (given: readonly string[]): readonly Permission[] =>
  given.join() === 'none' ? [] : readWords('permission', given, permissions)

/** Reads only at a remote target; a day's quota is never spent in real time unless allowed. */
export const defaultPermissions = (baseUrl: URL, hasClock: boolean): readonly Permission[] => {
  if (!isLoopback(baseUrl.hostname)) return []
  return hasClock ? permissions : permissions.filter((each) => each !== 'day')
}
