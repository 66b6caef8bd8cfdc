// What a run lacks for a check: a permission, a key, a clock, a description.

import { Inapplicable, Untested } from '../../history/outcome.ts'
import { type Permission, permissions } from './context.ts'
import type { Needs } from './declare.ts'
import type { PlanOptions } from './spendable-keys.ts'
import { chooseBanKey, furtherKeys } from './spendable-keys.ts'

/** Whether a check is inapplicable for lack of an option, and not by what the target claims. */
export const isNotGiven = (detail: string): boolean =>
  /^no (?:key of|published description)/.test(detail)

/** Why a check cannot run. */
type Lack = Untested | Inapplicable

const uses: Record<Permission, string> = {
  write: 'write',
  exhaust: 'exhaust a quota',
  ban: 'get a key banned',
  day: "spend a day's quota",
}

/** Names what is not allowed and the complete flag, as `--allow` replaces earlier permissions. */
export const missingPermission = (
  wanted: readonly Permission[],
  allow: readonly Permission[],
): Untested | undefined => {
  const refused = permissions.filter((word) => wanted.includes(word) && !allow.includes(word))
  if (refused.length === 0) return undefined
  const whole = permissions.filter((word) => allow.includes(word) || refused.includes(word))
  const words = `it needs the permission to ${refused.map((word) => uses[word]).join(' and ')}`
  return new Untested('permission', `${words} (--allow ${whole.join(',')})`)
}

export const missingBanKey = new Untested(
  'key',
  'it needs a key that petvet may get banned: give two keys of one plan (--key free=A --key ' +
    'free=B), or mark a key with `use: ban` in the configuration file',
)

const enterpriseKey =
  'only a configuration file takes one: { plan: enterprise, key: $NAME, perMinute: N, perDay: N }'

const missingKey = (needs: Needs, keys: PlanOptions['keys']): Lack | undefined => {
  const { plan } = needs
  if (plan !== undefined && !keys.some((key) => key.plan === plan)) {
    // An enterprise key comes with its numbers, which no flag takes.
    const how = plan === 'enterprise' ? enterpriseKey : `--key ${plan}=KEY`
    return new Inapplicable(`no key of the plan ${plan} is configured (${how})`)
  }
  if (needs.keys === 'further' && furtherKeys(keys).length === 0) {
    const why = 'judges each further key of a plan; this run has none (--key free=OTHER)'
    return new Inapplicable(why)
  }
  if (needs.allow?.includes('ban') && !chooseBanKey(keys)) return missingBanKey
  if (needs.keys !== 'another' || keys.length > 1) return undefined
  return new Untested('key', 'it needs another key, of any plan (--key PLAN=OTHER)')
}

/** Why a check cannot run with these options; undefined: it can. */
export const missingPrerequisite = (needs: Needs, options: PlanOptions): Lack | undefined => {
  if (needs.description && options.descriptionUrl === null) {
    return new Inapplicable('no published description is given (--description URL)')
  }
  const refused = missingPermission(needs.allow ?? [], options.allow)
  if (refused) return refused
  if (needs.clock && options.clockUrl === null) {
    return new Untested('clock', "it needs the target's test clock (--clock URL)")
  }
  return missingKey(needs, options.keys)
}
