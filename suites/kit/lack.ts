// What a run lacks for a question: a permission, a clock, a description.
import type { Needs } from './check.ts'
import { Untested } from './outcome.ts'
import type { Ending } from './result.ts'
import type { RunOptions } from './run-options.ts'

type Lackable = Pick<RunOptions, 'allow' | 'clockUrl' | 'descriptionUrl'>

/** How a question ends that cannot be asked, or undefined where it can. */
export const lackOf = (needs: Needs, options: Lackable): Ending | undefined => {
  if (needs.description && options.descriptionUrl === null) {
    return { kind: 'inapplicable', why: 'no published description is configured (description:)' }
  }
  const refused = needs.allow?.find((permission) => !options.allow.includes(permission))
  if (refused !== undefined) {
    const error = new Untested('permission', `it needs the permission to ${refused} (--allow)`)
    return { kind: 'threw', error }
  }
  if (needs.clock && options.clockUrl === null) {
    const error = new Untested('clock', "it needs the target's test clock (clock:)")
    return { kind: 'threw', error }
  }
  return undefined
}
