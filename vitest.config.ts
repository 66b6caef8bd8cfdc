// The tests of the project: each next to its file, those about the whole in tests/.
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  cacheDir: 'node_modules/.cache/vitest',
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**', 'dist/**', 'petvet-runs/**'],
    environment: 'node',
    pool: 'forks',
    // Modules are loaded once per worker: no test leaves state in them.
    isolate: false,
    // One more than there are cores: some tests wait.
    maxWorkers: availableParallelism() + 1,
    // Less collecting of garbage: runs in virtual time make much of it.
    execArgv: ['--max-semi-space-size=64'],
    maxConcurrency: 3,
    // What fails in CI is named by its first line alone.
    chaiConfig: { truncateThreshold: 400 },
    passWithNoTests: false,
    allowOnly: false,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
