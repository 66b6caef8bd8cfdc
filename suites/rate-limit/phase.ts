// How far a second of the target has gone. A wait to a whole second that is cut or rounded is too
// short by a part of a second: by the test clock that part is chosen, so that it is large enough.
import type { Context } from '../../engine/context.ts'

const secondMs = 1_000

/** Calls that begin a window come early in a second, and those that are refused in its middle. */
export const phases = { begin: 50, burst: 550 } as const

/** Lets so much time pass; by the test clock up to a second more, up to a phase of a second. */
export const passUntil = async (
  { clock, limits }: Context,
  ms: number,
  phaseMs: number,
): Promise<void> => {
  const nowMs = limits.instant ? await clock.now() : 0
  const moreMs = limits.instant ? (phaseMs - nowMs - ms) % secondMs : 0
  const allMs = ms + (moreMs < 0 ? moreMs + secondMs : moreMs)
  if (allMs > 0) await limits.pass(allMs)
}
