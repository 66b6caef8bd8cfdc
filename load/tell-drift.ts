// Whether a soak drifts, in words: what grows for sure, and by enough to matter, is a warning.
import { chanceOfRise, type Point, sureGrowth } from './drift.ts'
import { bins, type SoakLog } from './soak-log.ts'
import { type Told, tellMs } from './tell-figures.ts'

/** Latency has drifted where it has surely grown by so much. */
const grown = { share: 0.1, ms: 0.5 }
/** The ledger has, where the target surely counts so many calls more than at the beginning. */
const grownCalls = 1
/** Errors have, where so many more in the later half come by chance as rarely as this. */
const rareChance = 0.001

const tooFew = (points: readonly Point[]): string | undefined =>
  points.length < bins.least
    ? `too few answers to tell a drift from chance: ${points.length} of the ${bins.least} parts ` +
      `that it takes have ${bins.answers} or more`
    : undefined

const middle = (points: readonly Point[]): number =>
  points.map(({ y }) => y).sort((a, b) => a - b)[Math.floor(points.length / 2)] ?? 0

/** Whether latency grows. @param medians of equal parts of the time, in milliseconds */
export const tellDrift = (medians: readonly Point[]): Told => {
  const few = tooFew(medians)
  if (few !== undefined) return few
  const growthMs = sureGrowth(medians)
  const told = `the medians of ${medians.length} parts grow by at least ${tellMs(growthMs)}`
  const isGrown = growthMs >= Math.max(grown.ms, grown.share * middle(medians))
  return isGrown ? { warn: `${told} (99.9 % sure, Theil-Sen)` } : `none: ${told}`
}

/** Whether the target counts calls that we did not make. @param excesses in equal parts */
export const tellLedger = (excesses: readonly Point[], shared: boolean): Told => {
  if (excesses.length === 0) return 'no answer told how many calls are left'
  const most = Math.max(...excesses.map(({ y }) => y))
  const told = `the target counts at most ${Math.max(0, most)} calls that were not ours`
  if (shared) return `${told}, and others use the key`
  const few = tooFew(excesses)
  if (few !== undefined) return `${told}; ${few}`
  const isGrown = most > 0 && sureGrowth(excesses) >= grownCalls
  return isGrown ? { warn: `${told}, more and more of them` } : told
}

/** Whether errors become more. */
export const tellRise = ([early, late]: ReturnType<SoakLog['halves']>): Told => {
  const told =
    `${early.errors} errors in ${early.sent} requests of the first half, ` +
    `${late.errors} in ${late.sent} of the second`
  const lateShare = late.sent / (early.sent + late.sent)
  const isRise = late.errors > 0 && chanceOfRise(early.errors, late.errors, lateShare) < rareChance
  return isRise ? { warn: `${told}: no chance` } : told
}
