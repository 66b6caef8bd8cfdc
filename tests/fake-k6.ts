// What k6 writes for a script of petvet: lines as a real run had them, made for a test.
import type { K6Plan } from '../load/k6/k6-plan.ts'

export interface FakeSample {
  readonly key?: string
  readonly part?: string
  readonly phase?: string
  readonly status?: number
  /** After the start. */
  readonly atMs: number
  readonly ms?: number
  readonly metadata?: Readonly<Record<string, string>>
}

export interface FakeInstance {
  readonly plan: K6Plan
  readonly index?: number
  readonly count?: number
  readonly run?: string
  /** By how much its clock is ahead of that of the target. */
  readonly aheadMs?: number
  readonly samples: readonly FakeSample[]
}

export const startMs = Date.parse('2026-01-31T12:00:05Z')

const point = (metric: string, atMs: number, value: number, tags: object, metadata: object) =>
  `${JSON.stringify({
    metric,
    type: 'Point',
    data: { time: new Date(atMs).toISOString().replace('Z', '123Z'), value, tags, metadata },
  })}\n`

/** The lines of one instance; those of k6 itself are among them. */
export const fakeK6 = ({ plan, samples, ...given }: FakeInstance): string => {
  const { index = 0, count = 1, run = 'one', aheadMs = 0 } = given
  const instance = count === 1 ? '0:1' : `${index}/${count}:${index + 1}/${count}`
  const zeroMs = startMs + aheadMs
  const begun = { plan: JSON.stringify(plan), run, index: `${index}`, count: `${count}` }
  const mark = (kind: string, metadata: object) =>
    point('petvet_judge_run', zeroMs, 1, { kind, instance }, metadata)
  const lines = samples.map(({ atMs, ms = 5, status = 200, metadata, ...sample }) => {
    const { key = 'free-1', part = 'burst', phase = plan.phases[0]?.name ?? '' } = sample
    const tags = { key, part, scenario: phase, status: `${status}`, instance }
    const own = {
      sent: `${zeroMs + atMs}`,
      ...metadata,
      date: new Date(startMs + atMs + ms).toUTCString(),
    }
    const receivedMs = zeroMs + atMs + ms
    return (
      point('http_reqs', receivedMs, 1, { scenario: phase }, {}) +
      point('petvet_judge_response', receivedMs, ms, tags, own)
    )
  })
  return [
    '{"type":"Metric","data":{"name":"http_reqs","type":"counter"},"metric":"http_reqs"}\n',
    mark('begin', { ...begun, started: `${zeroMs}` }),
    ...lines,
    mark('end', {}),
  ].join('')
}

/** What a window of 60 grants to requests at these times, one after another. */
export const limited = (
  requests: readonly FakeSample[],
): (FakeSample & { readonly status: number })[] =>
  requests.map((request, at) => {
    const isServed = at < 60
    const remaining = Math.max(0, 59 - at)
    const reset = startMs / 1_000 + 55
    const headers = { limit: '60', remaining: `${remaining}`, reset: `${reset}` }
    const retry = isServed ? {} : { retry: '50' }
    return { ...request, status: isServed ? 200 : 429, metadata: { ...headers, ...retry } }
  })
