// What a run may do to a target: asked for, and on this machine granted without asking.
import { type Permission, permissions } from '../engine/permission.ts'
import { isLoopback } from './addresses.ts'
import { UsageError } from './usage-error.ts'

/** `--allow write,exhaust`, or `none`. */
export const readPermissions = (given: readonly string[]): readonly Permission[] => {
  const words = given.flatMap((text) => text.split(',')).map((word) => word.trim())
  if (words.length === 1 && words[0] === 'none') return []
  const wrong = words.find((word) => !permissions.some((each) => each === word))
  if (wrong === undefined) return permissions.filter((each) => words.includes(each))
  if (words.includes('none')) throw new UsageError('--allow none stands alone: it allows nothing')
  throw new UsageError(`"${wrong}" is no permission: there are ${permissions.join(', ')}, or none`)
}

/** Of a target elsewhere, reads only; and a day's quota is never spent in real time unasked. */
export const usualPermissions = (baseUrl: URL, hasClock: boolean): readonly Permission[] => {
  if (!isLoopback(baseUrl.hostname)) return []
  return hasClock ? permissions : permissions.filter((each) => each !== 'day')
}
