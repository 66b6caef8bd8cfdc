// Numbers as they are given on the command line, within bounds.
import { int64Least, int64Most } from '../engine/json.ts'
import { UsageError } from './usage-error.ts'

export interface Bounds {
  readonly least: number
  readonly most: number
}

export const seedBounds: Bounds = { least: 0, most: 2 ** 31 - 1 }
export const portBounds: Bounds = { least: 0, most: 65_535 }

export const wholeNumber = (flag: string, text: string, { least, most }: Bounds): number => {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return value
  throw new UsageError(`${flag} takes a whole number from ${least} to ${most}, not "${text}"`)
}

/** @returns milliseconds */
export const secondsOf = (flag: string, text: string, { least, most }: Bounds): number => {
  const value = /^\d{1,9}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return Math.round(value * 1_000)
  throw new UsageError(`${flag} takes seconds from ${least} to ${most}, not "${text}"`)
}

/** An identifier of the interface, exact at any size. */
export const int64Of = (place: string, text: string): bigint => {
  const value = /^[+-]?\d{1,25}$/.test(text) ? BigInt(text.replace('+', '')) : undefined
  if (value !== undefined && value >= int64Least && value <= int64Most) return value
  throw new UsageError(`${place} takes an int64, not "${text}"`)
}
