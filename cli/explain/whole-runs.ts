// How a mutant is seen: by its check alone, in a whole run, or in the proof's own part of one.

import type { Question } from '../../engine/check.ts'
import type { Mutant } from '../../reference/mutant.ts'

/** Beside those that an invariant finds, which judges what others caused. */
const shownByOthers: ReadonlySet<string> = new Set([
  // Many animals, or some that were asked for before.
  ...['filter-drops-limit', 'list-cached', 'get-shows-neighbour'],
  ...['oldest-pushed-out', 'fetched-leaves-lists', 'fetch-fails-after-ten'],
  ...['pending-released-over-night', 'fetched-becomes-pending', 'neighbour-renamed'],
  ...['filter-removed-too', 'filter-off-the-evening-before'],
  // Creations that were refused.
  ...['refused-kept-for-status', 'refused-kept-for-name'],
  // Calls that were counted, and keys that rested.
  ...['remaining-falls-by-two', 'bucket-refills-too-slowly', 'count-per-replica'],
  ...['retry-after-epoch', 'retry-after-year', 'ban-of-the-address', 'unlimited-after-midnight'],
  'ban-of-the-address-after-thirty',
  // A second ban, which another check draws.
  'later-bans-longer-than-told',
])

/** Their keys are refused for good, and after the contract nothing is left to tell by. */
const shownByProof: ReadonlySet<string> = new Set([
  'window-never-ends',
  'window-never-ends-once-spent',
])

/** Of an enterprise key the numbers stand in a configuration, which no command line can show. */
export const wayToSee = (
  { id, keys }: Mutant,
  question: Question | undefined,
): 'alone' | 'whole run' | 'proof' => {
  if (shownByProof.has(id) || keys?.includes('enterprise')) return 'proof'
  if (question === undefined || question.kind === 'invariant') return 'whole run'
  return shownByOthers.has(id) ? 'whole run' : 'alone'
}
