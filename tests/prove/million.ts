// One million requests to the address that is given, with this key: prints the figures.
import { runLoad } from '../../load/run-load.ts'
import type { Scenario } from '../../load/scenario.ts'
import { silent, testOptions } from '../vet-reference.ts'

const [baseUrl = '', key = ''] = process.argv.slice(2)
const amount = 1_000_000
const connections = 50

const million: Scenario = {
  id: 'million',
  says: 'One million requests.',
  needs: { allow: [] },
  cost: () => ({ requests: amount, seconds: 60, does: 'sends a million requests' }),
  run: async function* (lane) {
    await lane.drive({
      connections,
      amount,
      durationMs: null,
      key: 'enterprise-1',
      overallMs: 300_000,
      keep: 10,
    })
    yield
  },
  verdicts: [],
}

const quota = { perMinute: 2_000_000, perDay: 50_000_000 }
const keys = [{ plan: 'enterprise' as const, key, quota }]
const mebibytes: number[] = []
/** What is live, as V8 lets the heap of a busy process grow far beyond that before it collects. */
const watch = setInterval(() => {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  mebibytes.push((heapUsed + external) / 2 ** 20)
}, 2_000)
const run = await runLoad(
  {
    scenarios: [million],
    settings: { connections: [connections], durationMs: null },
    target: testOptions(baseUrl, { keys, maxRequests: 2 * amount }),
    baselines: [],
    thresholds: null,
  },
  silent,
)
clearInterval(watch)
const { sent, counts, latency } = run.load?.[0]?.columns.target ?? {}
const { impossible, requests } = run
process.stdout.write(
  JSON.stringify({ impossible, requests, sent, counts, timed: latency?.count, mebibytes }),
)
