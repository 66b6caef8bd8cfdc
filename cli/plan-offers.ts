// What a run lacks for the questions that it leaves out, and how many each thing would add.

import type { Question } from '../engine/check.ts'
import { type Permission, permissions } from '../engine/permission.ts'
import { type Asking, askable } from '../engine/plan.ts'
import { cheapestOf } from '../engine/quota/limits.ts'
import type { KeyOption } from '../engine/run-options.ts'
import { type Plan, planNames, plans, type Quota } from '../spec/plans.ts'
import { suiteOf } from './suite-of.ts'

export interface Offer {
  /** As a flag, or a key of some plan. */
  readonly give: string
  /** How many questions it adds alone, and to a run that is given all the others as well. */
  readonly adds: number
  readonly addsLast: number
  /** Of which suites those are. */
  readonly suites: readonly string[]
}

interface Gift {
  readonly give: string
  readonly to: (asking: Asking) => Asking
}

/** Which questions can be asked does not turn on these numbers. */
const anyQuota: Quota = { perMinute: 100, perDay: 10_000 }

const withKey = (plan: Plan) => (asking: Asking) => {
  const key: KeyOption = {
    plan,
    key: `another key of ${plan}`,
    quota: plan === 'enterprise' ? anyQuota : plans[plan],
  }
  return { ...asking, keys: [...asking.keys, key] }
}

const permitted = (permission: Permission): Gift => ({
  give: `--allow ${permission}`,
  to: (asking) => ({ ...asking, allow: [...asking.allow, permission] }),
})

/** A second key of the plan whose key is exhausted, and one of each plan that has none. */
const keysLacking = ({ keys }: Asking): Gift[] => {
  const cheapest = cheapestOf(keys)?.plan
  const isAlone = keys.filter(({ plan }) => plan === cheapest).length < 2
  const second = { give: `a second key of the plan ${cheapest}` }
  return [
    ...(cheapest && isAlone ? [{ ...second, to: withKey(cheapest) }] : []),
    ...planNames
      .filter((plan) => !keys.some((key) => key.plan === plan))
      .map((plan) => ({ give: `a key of the plan ${plan}`, to: withKey(plan) })),
  ]
}

const giftsFor = (asking: Asking): Gift[] => [
  ...permissions.filter((each) => !asking.allow.includes(each)).map(permitted),
  ...(asking.clockUrl === null
    ? [{ give: '--clock URL', to: (all: Asking) => ({ ...all, clockUrl: 'given' }) }]
    : []),
  ...(asking.descriptionUrl === null
    ? [{ give: '--description URL', to: (all: Asking) => ({ ...all, descriptionUrl: 'given' }) }]
    : []),
  ...keysLacking(asking),
]

/** What each thing that a run lacks would add to it. */
export const offersOf = (questions: readonly Question[], asking: Asking): Offer[] => {
  const gifts = giftsFor(asking)
  const askableWith = (given: readonly Gift[]) =>
    askable(
      questions,
      given.reduce((all, { to }) => to(all), asking),
    )
  const [none, all] = [askableWith([]), askableWith(gifts)]
  return gifts
    .map((gift) => {
      const without = askableWith(gifts.filter((each) => each !== gift)).map(({ id }) => id)
      const added = all.filter(({ id }) => !without.includes(id))
      const adds = askableWith([gift]).length - none.length
      const suites = [...new Set(added.map(suiteOf))]
      return { give: gift.give, adds, addsLast: added.length, suites }
    })
    .filter(({ adds, addsLast }) => adds > 0 || addsLast > 0)
}
