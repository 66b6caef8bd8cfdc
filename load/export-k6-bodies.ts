// What each scenario is in a script for k6: its executors, its own thresholds, its answers.
import type { Shapes } from './export-shape.ts'

export type Name = keyof Shapes

export interface Body {
  readonly labels: readonly string[]
  /** Answers that are no failure. */
  readonly expected: string
  readonly scenarios: Readonly<Record<string, object>>
  readonly thresholds: Readonly<Record<string, readonly string[]>>
  /** The lines of a function that waits for fresh windows, where that is wanted. */
  readonly windows: readonly string[]
}

export const bodies: Readonly<Record<Name, (shapes: Shapes) => Body | null>> = {
  steady: ({ steady }) =>
    steady && {
      labels: [steady.label],
      expected: '200',
      scenarios: {
        steady: {
          executor: 'constant-arrival-rate',
          rate: steady.perMinute,
          timeUnit: '1m',
          duration: `${steady.seconds}s`,
          preAllocatedVUs: Math.min(200, Math.max(10, Math.ceil(steady.perMinute / 30))),
          maxVUs: 1_000,
          env: { LABEL: steady.label },
        },
      },
      thresholds: { dropped_iterations: ['count<1'] },
      windows: [],
    },
  capacity: ({ capacity }) =>
    capacity && {
      labels: [capacity.label],
      expected: '200',
      scenarios: Object.fromEntries(
        capacity.steps.map((connections, index) => [
          `connections_${connections}`,
          {
            executor: 'shared-iterations',
            vus: connections,
            iterations: Math.max(connections, capacity.requestsMost),
            maxDuration: `${capacity.stepSeconds}s`,
            startTime: `${index * (capacity.stepSeconds + 1)}s`,
            gracefulStop: '1s',
            env: { LABEL: capacity.label },
          },
        ]),
      ),
      // Thresholds that always hold, so that the summary tells each step by itself.
      thresholds: Object.fromEntries(
        capacity.steps.flatMap((connections) => [
          [`http_req_duration{scenario:connections_${connections}}`, ['max>=0']],
          [`http_reqs{scenario:connections_${connections}}`, ['count>=0']],
        ]),
      ),
      windows: [],
    },
  fleet: ({ fleet }) =>
    fleet && {
      labels: fleet.keys.map(({ label }) => label),
      expected: '200, 429',
      scenarios: Object.fromEntries(
        fleet.keys.map(({ label, requests }) => [
          label.replace('-', '_'),
          {
            executor: 'shared-iterations',
            vus: 10,
            iterations: requests,
            maxDuration: '50s',
            env: { LABEL: label },
          },
        ]),
      ),
      // None is refused before its quota is spent.
      thresholds: Object.fromEntries(
        fleet.keys.map(({ label, perMinute }) => [
          `petvet_served{scenario:${label.replace('-', '_')}}`,
          [`count>=${perMinute}`],
        ]),
      ),
      windows: freshWindows,
    },
}

/** The burst of a key is to fall into one window. */
const freshWindows = [
  "// Waits until the minute's window of each key has begun anew.",
  'const waitForWindows = () => {',
  '  let waitSeconds = 0',
  '  for (const label of Object.keys(keys)) {',
  '    const { headers } = ask(label)',
  '    const now = Date.parse(headers.Date) / 1000',
  "    const restSeconds = Number(headers['X-Ratelimit-Reset']) - now",
  '    if (restSeconds <= 120) waitSeconds = Math.max(waitSeconds, restSeconds + 1)',
  '  }',
  '  sleep(waitSeconds)',
  '}',
  '',
]
