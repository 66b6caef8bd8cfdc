// A plan as text: four tables, and what was left out.
import type { Offer } from './plan-offers.ts'
import type { Price, Prices } from './plan-prices.ts'
import { table } from './table.ts'

export interface PlanTold {
  readonly target: string
  readonly allow: readonly string[]
  /** Questions that send requests of their own, asked or not. */
  readonly questions: number
  /** How many keys the run has; none were given where 0. */
  readonly keys: number
  readonly maxRequests: number
  readonly prices: Prices
}

const shownEstimate = (ms: number | null): string =>
  ms === null || ms < 10_000 ? 'seconds' : `about ${Math.max(1, Math.round(ms / 60_000))} min`

const cells = ({ questions, keyed, anonymous, estimateMs }: Price): string[] => [
  String(questions),
  String(keyed),
  String(anonymous),
  shownEstimate(estimateMs),
]

const heads = ['questions', 'on keys', 'without a key', 'duration']

const tellTime = ({ prices: { all } }: PlanTold): string =>
  all.estimateMs === null
    ? 'The test clock is moved instead of waiting: the run takes seconds.'
    : `Estimated duration: ${shownEstimate(all.estimateMs)}.`

const tellMost = ({ maxRequests, prices: { all } }: PlanTold): string[][] => {
  const needed = all.keyed + all.anonymous + all.further
  if (needed <= maxRequests) return []
  return [
    [
      `It may send ${maxRequests} requests (--max-requests) and needs up to ${needed}: ` +
        'what comes last is left untested.',
    ],
  ]
}

const tellFurther = ({ prices: { all } }: PlanTold): string[][] =>
  all.further === 0
    ? []
    : [
        [
          `A target that refuses all that the interface leaves open in a creation is sent up to ` +
            `${all.further} more`,
          'on keys: a hundred sound animals have to be there before lists are judged.',
        ],
      ]

/** What adds nothing by itself may be wanted by what something else adds. */
const tellOffer = ({ give, adds, addsLast, suites }: Offer): string => {
  const beside = adds === addsLast ? '' : `, and ${addsLast} beside all of these`
  return `  ${give} alone would add ${adds}${beside}: ${suites.join(', ')}`
}

const tellLacks = ({ leftOut, offers }: PlanTold['prices']): string[] =>
  leftOut === 0
    ? ['Nothing is left out.']
    : [`Left out: ${leftOut} questions.`, ...offers.map(tellOffer)]

export const tellPlan = (told: PlanTold): string => {
  const { target, allow, questions, keys, prices } = told
  const paragraphs = [
    [
      `A run against ${target} asks ${prices.all.questions} of ${questions} questions ` +
        `and may: ${allow.join(', ') || 'read only'}.`,
    ],
    [tellTime(told)],
    ...tellMost(told),
    ...tellFurther(told),
    table([
      ['stage, in the order of the work', 'on keys', 'without a key'],
      ...prices.stages.map(({ stage, cost }) => [
        stage,
        String(cost.keyed),
        String(cost.anonymous),
      ]),
      ['in all, with the first calls', String(prices.all.keyed), String(prices.all.anonymous)],
    ]),
    table([
      ['suite, asked alone (--only)', ...heads],
      ...prices.suites.map((price) => [price.suite, ...cells(price)]),
    ]),
    table([
      ['with one key of plan', ...heads, 'share of its day'],
      ...prices.plans.map((price) => [
        price.plan,
        ...cells(price),
        price.dayPercent === null ? 'its days are moved' : `${price.dayPercent} %`,
      ]),
      ...(keys > 1 ? [[`with the ${keys} keys`, ...cells(prices.all), '']] : []),
    ]),
    tellLacks(prices),
  ]
  return `${paragraphs.map((lines) => lines.join('\n')).join('\n\n')}\n`
}
