// The sums: what a lane sent is what its fates add up to, and what the server counted.
import type { LoadFigures, LoadScenarioFigures } from '../suites/kit/load-figures.ts'
import type { LaneParts } from './lane-parts.ts'

const sumOf = ({ counts }: LoadFigures): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

/** Of a connection that failed nobody knows whether the server had heard the request. */
const unknownOf = ({ counts }: LoadFigures): number => counts.reset + counts.timeout

/**
 * @param received how many requests have reached the server since the run began
 * @returns what does not add up, or undefined: a fault of the harness, and none of the target
 */
export const uncounted = (
  { column, session, options }: LaneParts,
  received: (() => number) | null,
  load: readonly LoadScenarioFigures[],
): string | undefined => {
  const figures = load.flatMap(({ columns }) => columns[column] ?? [])
  const wrong = figures.find((each) => sumOf(each) !== each.sent)
  if (wrong) return `${column}: ${wrong.sent} sent, but the fates add up to ${sumOf(wrong)}`
  if (!received || options.signal.aborted) return undefined
  const sent = session.budget.sent()
  const unknown = figures.reduce((sum, each) => sum + unknownOf(each), 0)
  const counted = received()
  if (counted <= sent && counted >= sent - unknown) return undefined
  return `${column}: ${sent} requests sent, and the server counted ${counted}`
}
