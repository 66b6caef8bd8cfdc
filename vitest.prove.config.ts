// The long proofs: what `npm test` samples, in full, and what takes real minutes.
import { defineConfig } from 'vitest/config'

const minuteMs = 60_000

export default defineConfig({
  cacheDir: 'node_modules/.cache/vitest',
  test: {
    include: [
      'reference/prism.test.ts',
      'load/driver.test.ts',
      'tests/{load,locust,pairs}.test.ts',
      'tests/browser/report.test.ts',
      'tests/e2e/{resume,vetted}.test.ts',
      'tests/packaging/{action,gitlab,package}.test.ts',
      'tests/real-limiters.test.ts',
      'tests/{hostile,rounds,virtual}/*.test.ts',
      'tests/prove/*.prove.ts',
    ],
    pool: 'forks',
    maxConcurrency: 4,
    env: { PETVET_RUNS: process.env.PETVET_RUNS ?? '3000' },
    testTimeout: 20 * minuteMs,
    hookTimeout: minuteMs,
  },
})
