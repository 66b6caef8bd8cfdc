// Letting a key rest: after a refusal as long as it was told to, and until its quota is whole.
import type { Ledger } from './ledger.ts'
import type { Pace } from './pace.ts'
import type { Wait } from './waits.ts'

/** No design counts a call for longer than two windows (ruling 17). */
const restMs = 121_000

export const createRest = (ledgers: ReadonlyMap<string, Ledger>, pace: Pace, wait: Wait) => {
  const thaw = async (label: string) => {
    const untilMs = ledgers.get(label)?.frozenUntilMs ?? 0
    await wait(untilMs - pace.now(), 'the key rests as long as it was told to')
  }
  const rest = async (label: string) => {
    await thaw(label)
    const lastMs = ledgers.get(label)?.sentAtMs.at(-1)
    if (lastMs === undefined) return
    await wait(lastMs + restMs - pace.now(), 'the key rests until its quota is whole')
  }
  return { thaw, rest }
}
