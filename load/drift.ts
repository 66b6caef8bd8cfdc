// Whether something grows over hours: rules of which each says how sure it is, so that noise does
// not warn.

export interface Point {
  readonly x: number
  readonly y: number
}

interface Slope {
  readonly slope: number
  /** The lower end of its confidence interval. */
  readonly least: number
}

/** Two-sided 99.9 %. */
const z = 3.291

/**
 * The Theil-Sen slope, the median of the slopes of all pairs, with the confidence interval of Sen
 * (1968): up to 29 % of the points may be anything. Undefined with too few points to say.
 */
const theilSen = (points: readonly Point[]): Slope | undefined => {
  const slopes = points
    .flatMap((a, index) => points.slice(index + 1).map((b) => (b.y - a.y) / (b.x - a.x)))
    .filter(Number.isFinite)
    .sort((a, b) => a - b)
  const n = points.length
  const spread = z * Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18)
  const least = slopes[Math.floor((slopes.length - spread) / 2)]
  const slope = slopes[Math.floor(slopes.length / 2)]
  return least === undefined || slope === undefined ? undefined : { slope, least }
}

/**
 * By how much a row of points has grown from its first to its last, at the least: by the lower end
 * of the interval. 0 where it may not have grown at all.
 */
export const sureGrowth = (points: readonly Point[]): number => {
  const [first, last] = [points[0], points.at(-1)]
  const found = theilSen(points)
  if (!found || !first || !last) return 0
  return Math.max(0, found.least * (last.x - first.x))
}

/**
 * How likely so many of `late` and `early` events, or more, fall into the later part by chance,
 * where it holds `lateShare` of all that was sent: the tail of the binomial distribution.
 */
export const chanceOfRise = (early: number, late: number, lateShare: number): number => {
  if (late === 0 || lateShare >= 1) return 1
  if (lateShare <= 0) return 0
  const all = early + late
  const odds = lateShare / (1 - lateShare)
  // Each term from the one before: the first alone is found by way of its logarithm.
  let term = Math.exp(
    logChoose(all, late) + late * Math.log(lateShare) + early * Math.log(1 - lateShare),
  )
  let tail = 0
  for (let count = late; count <= all; count += 1) {
    tail += term
    term *= ((all - count) / (count + 1)) * odds
  }
  return Math.min(1, tail)
}

const logChoose = (n: number, k: number): number => {
  let sum = 0
  for (let index = 1; index <= k; index += 1) sum += Math.log(n - k + index) - Math.log(index)
  return sum
}
