// The work of `petvet plan`: what a run would cost, from what the questions declare.
import { type Plan, plans, type Quota } from '../spec/plans.ts'
import { catalogue } from '../suites/index.ts'
import { type Permission, permissions } from '../suites/kit/check.ts'
import { isAsked } from '../suites/kit/order.ts'
import { askable, costByStage, costOf } from '../suites/kit/plan.ts'
import type { RunOptions } from '../suites/kit/run-options.ts'
import { keyOptions } from './keys.ts'
import type { TargetFlags } from './run-flags.ts'
import { madeUpKeys } from './run-serve.ts'
import { type Selection, select } from './selection.ts'
import { suiteOf } from './suite-of.ts'
import { table } from './table.ts'
import { readTarget } from './target.ts'

type Asking = Pick<RunOptions, 'allow' | 'clockUrl' | 'descriptionUrl' | 'keys'>

/** What the built-in reference allows, where no target is named. */
const builtIn: Asking = {
  allow: permissions,
  clockUrl: 'its own',
  descriptionUrl: 'its own',
  keys: keyOptions(madeUpKeys(), {}),
}

export const runPlan = async (flags: TargetFlags & Selection): Promise<number> => {
  const { target } = readTarget(flags, process.env, process.cwd(), true)
  const asking = target ?? builtIn
  const questions = select(catalogue, suiteOf, flags)
  const costs = costByStage(questions, asking)
  const whole = costOf(questions, asking)
  const stages = costs.filter(({ cost }) => cost.keyed + cost.anonymous > 0)
  const quotas: [Plan, Quota][] = target?.keys.length
    ? target.keys.map(({ plan, quota }) => [plan, quota])
    : Object.entries(plans).map(([plan, quota]) => [plan as Plan, quota])
  const paragraphs = [
    [
      `A run against ${target?.baseUrl ?? 'the built-in reference'} asks ` +
        `${askable(questions, asking).length} of ${questions.filter(isAsked).length} questions ` +
        `and may: ${asking.allow.join(', ') || 'read only'}.`,
    ],
    table([
      ['stage', 'requests on keys', 'without a key'],
      ...stages.map(({ stage, cost }) => [stage, String(cost.keyed), String(cost.anonymous)]),
      ['in all, with the first calls', String(whole.keyed), String(whole.anonymous)],
    ]),
    table([
      ['one key of plan', 'minutes', 'share of its day'],
      ...quotas.map(([plan, quota]) => [
        plan,
        asking.clockUrl === null ? minutes(whole.keyed, quota) : 'under 1',
        `${((100 * whole.keyed) / quota.perDay).toFixed(1)} %`,
      ]),
    ]),
    tellLacks(asking, questions.filter(isAsked).length, (more) => askable(questions, more).length),
  ]
  process.stdout.write(`${paragraphs.map((lines) => lines.join('\n')).join('\n\n')}\n`)
  return 0
}

/** A window is spent at once, and then the next one is waited for. */
const minutes = (requests: number, { perMinute }: Quota): string => {
  const waits = Math.max(0, Math.ceil(requests / perMinute) - 1)
  return waits === 0 ? 'under 1' : `about ${waits}`
}

/** What each further permission, a clock or a description would add. */
const tellLacks = (asking: Asking, all: number, count: (more: Asking) => number): string[] => {
  const now = count(asking)
  if (now === all) return ['Nothing is left out.']
  const withAllowed = (permission: Permission): Asking => ({
    ...asking,
    allow: [...asking.allow, permission],
  })
  const offers: [string, Asking][] = [
    ...permissions
      .filter((permission) => !asking.allow.includes(permission))
      .map((permission): [string, Asking] => [`--allow ${permission}`, withAllowed(permission)]),
    ['--clock URL', { ...asking, clockUrl: asking.clockUrl ?? 'given' }],
    ['--description URL', { ...asking, descriptionUrl: asking.descriptionUrl ?? 'given' }],
  ]
  const lines = offers
    .map(([offer, more]) => [offer, count(more) - now] as const)
    .filter(([, added]) => added > 0)
    .map(([offer, added]) => `  ${offer} alone would add ${added}`)
  return [`Left out: ${all - now} questions.`, ...lines]
}
