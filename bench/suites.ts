// The suites at a target without latency: how much petvet itself could ask in a second, beside the
// largest quota that a plan has.
import { plans } from '../spec/plans.ts'
import { catalogue } from '../suites/index.ts'
import { vetVariant } from '../tests/virtual/vet.ts'
import { benchKey, told } from './measure.ts'

const rounds = 5

const surrounding = {
  latency: { leastMs: 0, mostMs: 0, seed: 1 },
  skewMs: 0,
  hasClock: true,
  foreign: null,
  shared: false,
  startMs: Date.UTC(2026, 10, 20, 12),
} as const

const keys = [{ plan: 'business', key: benchKey, quota: plans.business }] as const

/** Requests per second of a whole run, its judgements included. */
const rateOfRun = async (): Promise<number> => {
  const startMs = performance.now()
  const { run } = await vetVariant({}, keys, surrounding, catalogue)
  if (run.verdict !== 'conformant') throw new Error(`the reference is ${run.verdict}`)
  return (run.requests * 1_000) / (performance.now() - startMs)
}

export const benchSuites = async (): Promise<void> => {
  await rateOfRun()
  const quota = plans.business.perMinute / 60
  const ratios: number[] = []
  for (let round = 0; round < rounds; round += 1) ratios.push((await rateOfRun()) / quota)
  const name = 'requests/s, suites without latency to a Business quota'
  told(name, ratios, 'at least 10', (ratio) => ratio >= 10)
}
