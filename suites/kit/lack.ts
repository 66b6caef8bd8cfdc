// What a run lacks for a question: a permission, a clock, a description.
import type { Needs } from './check.ts'
import { cheapestOf, chooseBanKey } from './limits.ts'
import { Untested } from './outcome.ts'
import type { Ending } from './result.ts'
import type { RunOptions } from './run-options.ts'

type Lackable = Pick<RunOptions, 'allow' | 'clockUrl' | 'descriptionUrl' | 'keys'>

/** What is missing of a key beside the one that is exhausted; there the ban key will do. */
const besideLack = ({ beside }: Needs, keys: RunOptions['keys']): Ending | undefined => {
  const exhausted = cheapestOf(keys)
  if (!exhausted) return undefined
  const { plan } = exhausted
  if (beside === 'other-plan' && keys.every((key) => key.plan === plan)) {
    return { kind: 'inapplicable', why: 'no key of a second plan is configured' }
  }
  if (beside === 'same-plan' && !keys.some((key) => key !== exhausted && key.plan === plan)) {
    const error = new Untested('key', `it needs a second key of the plan ${plan}`)
    return { kind: 'threw', error }
  }
  return undefined
}

/** What of the keys is missing, if anything. */
const keyLack = (needs: Needs, keys: RunOptions['keys']): Ending | undefined => {
  const { plan } = needs
  if (plan !== undefined && !keys.some((key) => key.plan === plan)) {
    return { kind: 'inapplicable', why: `no key of the plan ${plan} is configured` }
  }
  const hasBanKey = chooseBanKey(keys) !== undefined
  if (needs.banKey && !hasBanKey) {
    const message = 'it needs a key to spare: a second one of a plan, or one with `use: ban`'
    return { kind: 'threw', error: new Untested('key', message) }
  }
  const beside = besideLack(needs, keys)
  if (beside) return beside
  const free = keys.length - (hasBanKey ? 1 : 0)
  if (needs.keys === undefined || free >= needs.keys) return undefined
  const error = new Untested('key', `it needs ${needs.keys} keys beside the one for bans`)
  return { kind: 'threw', error }
}

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
  return keyLack(needs, options.keys)
}
