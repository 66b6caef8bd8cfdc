// The figures of a load scenario at a server and at the Prism mock, made up for tests of reports.
import type {
  Counts,
  LoadFigures,
  LoadScenarioFigures,
  LoadSecond,
} from '../../engine/check/run-file.ts'

/** No request of any fate. */
export const noCounts: Counts = {
  served: 0,
  refused: 0,
  banned: 0,
  otherClientError: 0,
  serverError: 0,
  timeout: 0,
  reset: 0,
}

const secondOf = (second: number): LoadSecond => ({
  second,
  key: 'free-1',
  counts: {
    served: 40 + ((second * 7) % 11),
    refused: second % 5 === 4 ? 12 : 0,
    serverError: second === 17 ? 3 : 0,
  },
})

const figuresOf = (slower: number): LoadFigures => {
  const seconds = Array.from({ length: 30 }, (_, second) => secondOf(second))
  const counts = { ...noCounts, served: 1_340, refused: 72, serverError: 3 }
  return {
    durationMs: 30_000,
    sent: 1_415,
    neverSent: 4,
    counts,
    countsByKey: { 'free-1': counts },
    latency: {
      count: 1_415,
      meanMs: 5.4 * slower,
      p50Ms: 4.8 * slower,
      p90Ms: 9.1 * slower,
      p95Ms: 21.4 * slower,
      p99Ms: 24.6 * slower,
      p999Ms: 61 * slower,
      maxMs: 80.25 * slower,
    },
    seconds,
    steps: [1, 2, 4, 8, 16, 32].map((connections) => ({
      connections,
      perSecond: Math.round((1_200 * connections) / (connections + 6) / slower),
      p50Ms: connections * 0.8 * slower,
      p99Ms: connections * 2.1 * slower,
      errors: connections === 32 ? 3 : 0,
    })),
  }
}

export const fakeLoad: LoadScenarioFigures = {
  id: 'steady-minute',
  says: 'A steady load within the quota is served, with no `5xx` and no refusal.',
  connections: 8,
  columns: { target: figuresOf(1), prism: figuresOf(2.6), reference: figuresOf(0.7) },
}
