// A condition with its evidence: what is found where one part, or the like, decides.
import type { Exchange } from '../../history/exchange.ts'
import type { Decisive } from '../conditions.ts'

export interface Isolated {
  /** None: the plain request fails too. */
  readonly parts: readonly Decisive[]
  /** The plainest request that fails, and for each part one that passes without it. */
  readonly failing: Exchange
  readonly passing: readonly Exchange[]
  /** Why no part decides: equal requests pass and fail, or all fail for some time. */
  readonly chance?: string
  /** What is sent before each one that fails, and before none that passes. */
  readonly step?: string
  /** The last equal request that was served, where none has been since: a state decides. */
  readonly since?: Exchange
}

export const isolation = (
  parts: readonly Decisive[],
  failing: Exchange,
  passing: readonly Exchange[],
): Isolated => ({ parts, failing, passing })
