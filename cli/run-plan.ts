// The work of `petvet plan`: what a run would cost, from what the questions declare.

import { isAsked } from '../engine/order.ts'
import { permissions } from '../engine/permission.ts'
import type { Asking } from '../engine/plan.ts'
import { catalogue } from '../suites/index.ts'
import { maxRequestsOf } from './check-settings.ts'
import { keyOptions } from './keys.ts'
import { pricesOf } from './plan-prices.ts'
import { flowed, readingColumns } from './reading-width.ts'
import type { TargetFlags } from './run-flags.ts'
import { madeUpKeys } from './run-serve.ts'
import { type Selection, select } from './selection.ts'
import { suiteOf } from './suite-of.ts'
import { readTarget } from './target.ts'
import { type PlanTold, tellPlan } from './tell-plan.ts'

export interface PlanFlags extends TargetFlags, Selection {
  readonly 'max-requests': string | undefined
  readonly json: boolean | undefined
}

/** What the built-in reference allows, where no target is named. */
const builtIn: Asking = {
  allow: permissions,
  clockUrl: 'its own',
  descriptionUrl: 'its own',
  keys: keyOptions(madeUpKeys(), {}),
}

export const runPlan = async (flags: PlanFlags): Promise<number> => {
  const { target, found } = readTarget(flags, process.env, process.cwd(), true)
  const maxRequests = maxRequestsOf(flags, found)
  const asking = target ?? builtIn
  const questions = select(catalogue, suiteOf, flags)
  const told: PlanTold = {
    target: target?.baseUrl ?? 'the built-in reference',
    allow: asking.allow,
    questions: questions.filter(isAsked).length,
    keys: asking.keys.length,
    maxRequests,
    prices: pricesOf(questions, asking),
  }
  process.stdout.write(
    flags.json ? `${JSON.stringify(told, null, 2)}\n` : flowed(tellPlan(told), readingColumns()),
  )
  return 0
}
