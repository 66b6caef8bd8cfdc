// Several replicas behind one address: they count together, keep one set of animals, one clock.
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { runSuites } from '../engine/run.ts'
import type { RunFile } from '../engine/run-file.ts'
import { type ReplicasOptions, startReplicas } from '../reference/replicas.ts'
import type { Reference } from '../reference/start.ts'
import { catalogue } from '../suites/index.ts'
import { emptyFolder, petvet, start } from './e2e/petvet.ts'
import { lacksRedis, reasonToSkip, startRedis } from './redis-server.ts'
import { testKey, testOptions, told } from './vet-reference.ts'

const key = 'replicas-key'
const perMinute = 120
const body = JSON.stringify({ name: 'Rex', categoryId: 1 })
const longMs = 60_000

interface Answer {
  readonly status: number | undefined
  readonly text: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

const call = (url: string, method: string, agent: Agent | false): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const sent = request(url, { method, headers, agent }, async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      resolve({ status: response.statusCode, text, headers: response.headers })
    })
    sent.on('error', reject)
    sent.end(method === 'POST' ? body : undefined)
  })

const move = (url: string, to: object): Promise<Response> =>
  fetch(url, { method: 'POST', body: JSON.stringify(to) })

const open = async (
  keys: ReplicasOptions['keys'],
  replicas: number,
  counters: string | null,
): Promise<Reference> => {
  const faults: unknown[] = []
  const server = await startReplicas({
    keys,
    port: 0,
    clockPort: 0,
    store: join(emptyFolder(), 'pets.sqlite'),
    replicas,
    counters,
    onFault: (fault) => faults.push(fault),
  })
  onTestFinished(async () => {
    await server.close()
    expect(faults).toEqual([])
  })
  return server
}

const startAll = async (replicas: number, counters: string | null, perDay: number) => {
  const keys = [{ plan: 'enterprise', key, perMinute, perDay } as const]
  const server = await open(keys, replicas, counters)
  const clockUrl = server.clockUrl ?? ''
  // A minute that has just begun does not end while it is asked about.
  const { now } = (await (await fetch(clockUrl)).json()) as { now: string }
  const nextMinuteMs = Math.ceil(Date.parse(now) / 60_000) * 60_000
  await move(clockUrl, { set: new Date(nextMinuteMs).toISOString() })
  return { pets: `${server.url}/pets`, clockUrl }
}

/** The whole catalogue, put to them. */
const vet = async (replicas: number, counters: string | null): Promise<RunFile> => {
  const { url, clockUrl, descriptionUrl } = await open(
    [{ plan: 'free', key: testKey }],
    replicas,
    counters,
  )
  const options = testOptions(url, { clockUrl: clockUrl ?? null, descriptionUrl })
  return runSuites(catalogue, options, { exchange: () => {}, event: () => {} })
}

/** Two calls on each of 200 connections, all open at once. */
const crowd = async (pets: string): Promise<number> => {
  const statuses = await Promise.all(
    Array.from({ length: 200 }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const answers = [await call(pets, 'GET', agent), await call(pets, 'GET', agent)]
      agent.destroy()
      return answers.map(({ status }) => status)
    }),
  )
  const granted = statuses.flat().filter((status) => status === 200).length
  expect(statuses.flat().filter((status) => status === 429).length).toBe(400 - granted)
  return granted
}

describe.skipIf(lacksRedis)(`replicas with one store of counters${reasonToSkip}`, () => {
  test.each([2, 4, 8])(
    '%i of them serve a crowd exactly the quota',
    { timeout: longMs },
    async (replicas) => {
      const redis = await startRedis()
      const { pets } = await startAll(replicas, redis.url, 100_000)
      expect(await crowd(pets)).toBe(perMinute)
    },
  )

  test('keep the animals of each other, under ids of their own', { timeout: longMs }, async () => {
    const redis = await startRedis()
    const { pets } = await startAll(4, redis.url, 100_000)
    const made = await Promise.all(Array.from({ length: 40 }, () => call(pets, 'POST', false)))
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]))
    const ids = made.map(({ text }) => /"id":(\d+)/.exec(text)?.[1])
    expect(new Set(ids).size).toBe(40)
    const found = await Promise.all(ids.map((id) => call(`${pets}/${id}`, 'GET', false)))
    expect(found.map(({ text }) => text)).toEqual(made.map(({ text }) => text))
  })

  test('go by one clock', { timeout: longMs }, async () => {
    const redis = await startRedis()
    const { pets, clockUrl } = await startAll(3, redis.url, 100_000)
    const moved = await move(clockUrl, { set: '2030-12-06T00:00:00Z' })
    expect(moved.status).toBe(200)
    const gone = await Promise.all(Array.from({ length: 6 }, () => call(`${pets}/1`, 'GET', false)))
    for (const { status, headers } of gone) {
      expect([status, headers.date]).toEqual([410, expect.stringContaining('06 Dec 2030')])
    }
    expect((await move(clockUrl, { set: '2030-12-05T00:00:00Z' })).status).toBe(409)
  })

  test('serve nothing uncounted while the store is killed and restarted', {
    timeout: longMs,
  }, async () => {
    const perDay = 40
    const redis = await startRedis()
    const { pets, clockUrl } = await startAll(2, redis.url, perDay)
    const statuses: (number | undefined)[] = []
    const ask = async () => {
      const answer = await call(pets, 'GET', false)
      statuses.push(answer.status)
      return answer
    }
    const running = { goesOn: true }
    const callers = Array.from({ length: 4 }, async () => {
      while (running.goesOn && statuses.length < 20_000) await ask()
    })
    await vi.waitFor(() => expect(statuses.length).toBeGreaterThan(15), { interval: 1 })
    await redis.kill()
    await vi.waitFor(() => expect(statuses).toContain(503))
    const answered = statuses.length
    await redis.restart()
    // The end of the day is what a replica names that is back at a store which has forgotten.
    await vi.waitFor(
      async () => expect((await ask()).headers['x-ratelimit-limit']).toBe(String(perDay)),
      { timeout: 10_000 },
    )
    running.goesOn = false
    await Promise.all(callers)
    expect(new Set(statuses.slice(answered))).toEqual(new Set([503]))
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(perDay)
    const refused = await ask()
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'unavailable', status: 503 })
    await move(clockUrl, { advanceMs: Number(refused.headers['retry-after']) * 1_000 })
    expect((await ask()).headers['x-ratelimit-remaining']).toBe(String(perDay - 1))
    expect(statuses.at(-1)).toBe(200)
  })

  test('are found conformant', { timeout: longMs }, async () => {
    const redis = await startRedis()
    const run = await vet(3, redis.url)
    expect(told(run, 'fail', 'warn', 'error')).toEqual([])
    expect(run.verdict).toBe('conformant')
  })

  test('are started and ended by the command', { timeout: longMs }, async () => {
    const redis = await startRedis()
    const args = ['serve', '--port', '0', '--replicas', '2', '--counters', '$COUNTERS']
    const server = start([...args, '--store', 'pets.sqlite', '--keys', `free=${key}`], {
      folder: emptyFolder(),
      env: { COUNTERS: redis.url },
    })
    const printed = await server.printed(/key free .*\n/)
    const [, url = ''] = /^petvet: api (http:\/\/127\.0\.0\.1:\d+\/v1)$/m.exec(printed) ?? []
    const first = await call(`${url}/pets`, 'GET', false)
    const second = await call(`${url}/pets`, 'GET', false)
    expect([first.status, second.status]).toEqual([200, 200])
    server.interrupt('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('replicas that count apart', () => {
  test('grant the quota several times over', { timeout: longMs }, async () => {
    const { pets } = await startAll(4, null, 100_000)
    expect(await crowd(pets)).toBe(400)
  })

  test('are found out', { timeout: longMs }, async () => {
    expect((await vet(3, null)).verdict).toBe('not-conformant')
  })
})

const together = ['serve', '--port', '0', '--replicas', '2']
const nowhere = 'redis://:secret@127.0.0.1:9'

test.for([
  ['no counters', [...together, '--store', 'a.sqlite'], '--replicas needs --counters'],
  ['animals in memory', [...together, '--counters', nowhere], '--replicas needs --store'],
  ['a mutant', [...together, '--mutant', 'x'], '--mutant goes with neither'],
  ['an address of no store', ['serve', '--counters', 'http://x'], '--counters takes an address'],
  ['counters that are not there', ['serve', '--counters', nowhere], 'at 127.0.0.1:9 cannot be'],
] as const)('exit 2 for %s', async ([, args, message]) => {
  const { code, stdout, stderr } = await petvet(args, { folder: emptyFolder() })
  expect(stderr).toContain(message)
  expect(stderr).toMatch(/^petvet: .+\n$/)
  expect(stderr).not.toContain('secret')
  expect([code, stdout]).toEqual([2, ''])
})
