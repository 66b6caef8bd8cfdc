// Where more connections are of no more use: the knee of a row of steps, and whether it collapses.
import type { LoadStep } from '../engine/load-figures.ts'
import { type Told, tellMs } from './tell-figures.ts'

/** Of the highest rate. */
const kneeShare = 0.9
/** A target whose last rate is below this share of its best one gives way under its load. */
const collapseShare = 0.5

/** How the knee is found, for who reads of it. */
export const kneeRule = 'the fewest connections that reach 90 % of the highest rate'

const best = (steps: readonly LoadStep[]): LoadStep | undefined =>
  steps.reduce<LoadStep | undefined>(
    (most, step) => (most && most.perSecond >= step.perSecond ? most : step),
    undefined,
  )

const kneeOf = (steps: readonly LoadStep[]): LoadStep | undefined => {
  const least = kneeShare * (best(steps)?.perSecond ?? 0)
  return least > 0 ? steps.find(({ perSecond }) => perSecond >= least) : undefined
}

const tellStep = ({ connections, perSecond, p50Ms, p99Ms }: LoadStep): string =>
  `${connections} connections: ${Math.round(perSecond)} /s, ` +
  `p50 ${tellMs(p50Ms)}, p99 ${tellMs(p99Ms)}`

export const tellKnee = (steps: readonly LoadStep[]): string => {
  const knee = kneeOf(steps)
  const last = steps.at(-1)
  if (!knee || !last) return 'no knee: nothing was served'
  if (knee === last) return `no knee up to ${last.connections} connections: the rate still grows`
  return `the knee is at ${tellStep(knee)}`
}

/** The best and the last step; a warning where the target gives way. */
export const tellSteps = (steps: readonly LoadStep[]): Told => {
  const [most, last] = [best(steps), steps.at(-1)]
  if (!most || !last) return { warn: 'nothing was served' }
  const told = most === last ? tellStep(most) : `${tellStep(most)}; ${tellStep(last)}`
  const hasCollapsed = last.perSecond < collapseShare * most.perSecond
  return hasCollapsed ? { warn: `the rate falls to less than half of its best: ${told}` } : told
}
