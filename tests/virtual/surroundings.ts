// What may surround a server: a slow network, a clock of ours that is wrong, no test clock.
import type { Surrounding } from './vet.ts'

const plain: Surrounding = {
  latency: { minMs: 0.2, maxMs: 0.4, seed: 1 },
  skewMs: 0,
  hasClock: true,
  startMs: Date.UTC(2026, 10, 20, 12, 0, 13),
  foreign: null,
  shared: false,
}

/** Both ways together, up to 60 ms by chance. */
const late = (seed: number) => ({ latency: { minMs: 1, maxMs: 30, seed } })

const aheadMs = 90_000

export const surroundings: Readonly<Record<string, Surrounding>> = {
  '30 ms late by chance': { ...plain, ...late(3) },
  'our clock 90 s ahead': { ...plain, skewMs: aheadMs },
  'our clock 90 s behind': { ...plain, skewMs: -aheadMs },
  'no test clock': { ...plain, hasClock: false },
  'no test clock, late, 90 s ahead': { ...plain, ...late(4), skewMs: aheadMs, hasClock: false },
  'no test clock, late, 90 s behind': { ...plain, ...late(5), skewMs: -aheadMs, hasClock: false },
}
