// The walk of a run without a test clock: at its end, of what nothing else needs of a minute.

import type { Context, LimitKey } from '../../engine/check/context.ts'
import { withKey } from '../../engine/check/exchange.ts'
import { Untested } from '../../engine/check/outcome.ts'
import { allKeys, shortestWalk, walkPerKey } from '../../engine/check/spendable-keys.ts'
import { listPets } from '../pets/requests.ts'
import { faultDecks, keylessDecks, validDecks } from './decks.ts'
import { type Drawing, drawSteps, maxTogether, mingled } from './draw-steps.ts'
import type { Step } from './scene.ts'
import { type Walked, walk } from './walk.ts'

/** How many are drawn for each that is sent: a run that may not write leaves out the others. */
const drawnPerSent = 3
/** Requests with a key for each without one. */
const keyedPerKeyless = 5

/** A key that was banned is left alone. */
const keysOf = ({ allow, limits }: Context): readonly LimitKey[] =>
  allow.includes('ban') ? limits.keys : allKeys(limits)

/** With the keys alone that have calls to spare, as nothing waits for the others. */
export const withSpareKeys = (context: Context): Context => ({
  ...context,
  limits: {
    ...context.limits,
    get keys() {
      return keysOf(context).filter(({ label }) => context.limits.spare(label) >= maxTogether)
    },
  },
})

const stepsFor = (seed: number, most: number): readonly Step[] => {
  const count = drawnPerSent * most
  const own: Omit<Drawing, 'decks'> = { seed, count, moves: 0 }
  const keyless = { ...own, decks: keylessDecks, count: Math.ceil(count / keyedPerKeyless) }
  return mingled(drawSteps({ ...own, decks: [...validDecks, ...faultDecks] }), drawSteps(keyless))
}

/** @throws Untested where next to nothing is left */
export const walkRest = async (context: Context): Promise<Walked> => {
  const { limits } = context
  const spareOf = ({ label }: LimitKey) => Math.min(walkPerKey, limits.spare(label))
  const keys = keysOf(context).filter((key) => spareOf(key) > 0)
  // After a reset a response has to say how many calls there are.
  for (const { label } of keys) await context.call(withKey(listPets({ limit: 1 }), label))
  const most = keys.reduce((sum, key) => sum + spareOf(key), 0)
  if (most < shortestWalk)
    throw new Untested('budget', 'next to nothing of the minute was to spare')
  const steps = stepsFor(context.seedOf('walk'), most)
  // How it ends says nothing of the target: it takes what there is.
  return { ...(await walk(withSpareKeys(context), steps, { most })), ended: undefined }
}
