// Which checks a file of known failures may name: those there are, before any run is held.

import { smokeId } from '../engine/smoke.ts'
import { scenarios } from '../load/scenarios.ts'
import { catalogue } from '../suites/index.ts'
import { didYouMean } from './nearest.ts'

/** The smoke call, all checks of the suites, and all verdicts of a load. */
export const knownIds: ReadonlySet<string> = new Set([
  smokeId,
  ...catalogue.map(({ id }) => id),
  ...scenarios.flatMap(({ verdicts }) => verdicts.map(({ id }) => id)),
])

/** What only a run tells: the checks of domains, and the figures of thresholds. */
const isOfARun = (id: string): boolean =>
  id.includes('@') || /^(load-threshold|project|site|domains)-/.test(id)

/** Undefined where there is such a check, and else what to say of it. */
export const strangeId = (id: string): string | undefined => {
  if (knownIds.has(id) || isOfARun(id)) return undefined
  const hint = didYouMean(id, [...knownIds], 'petvet list prints all')
  return `no check is called "${id}"${hint}`
}
