// The smoke call: whether a run can be held, against targets with which it can and cannot.
import { describe, expect, test } from 'vitest'
import { openVirtually, runVirtually } from '../../proof/virtual-run.ts'
import { plans } from '../../spec/plans.ts'
import { opened, type ReceivedRequest, serveActs } from '../../tests/raw-server.ts'
import {
  detailOf,
  error,
  json,
  outcomeOf,
  respondValidly,
  vetActs,
  vetOrigin,
  wants200,
} from '../../tests/vet-acts.ts'
import { twoFree } from '../../tests/vet-reference.ts'
import { decideExitCode } from '../check/verdict.ts'
import type { Wires } from '../http/target-clock.ts'

const checks = [wants200('first', '/pets'), wants200('second', '/pets?limit=1')]
const second = twoFree[1]?.key

describe('a run is impossible', () => {
  test.for([401, 403])('with a key that %i refuses, also for a fetch', async (status) => {
    const { run, heard } = await vetActs(() => error(status), checks)
    expect(run.impossible).toContain(`the key was refused with ${status}`)
    expect(decideExitCode(run)).toBe(3)
    expect(heard.map(({ path }) => path)).toEqual(['/v1/pets', '/v1/pets/1'])
  })

  test('where the test clock address is no test clock', async () => {
    const other = await opened(serveActs(() => json(404, '{}')))
    const clockUrl = `${other.origin}/clock`
    const { run, heard } = await vetActs(respondValidly, checks, { clockUrl })
    expect(run.impossible).toContain(`the test clock ${clockUrl} answered 404 to GET`)
    expect(decideExitCode(run)).toBe(3)
    expect(heard).toEqual([])
  })

  test('where its requests cannot be sent as configured', async () => {
    const headers = [['Expect', '100-continue']] as const
    const { run } = await vetActs(respondValidly, checks, { headers })
    expect(run.impossible).toContain('the run itself failed')
    expect(decideExitCode(run)).toBe(3)
    expect(outcomeOf(run, 'second')).toBe('untested (blocked)')
  })
})

const page = (status: number, body: string) =>
  ({ status, headers: [['Content-Type', 'text/html']], body }) as const

describe('what answers is not the API', () => {
  const act = (status: number) => () => page(status, '<h1>No certificate was sent</h1>')

  test.for([400, 403, 421])('a page with %i, with a key and without', async (status) => {
    const { run, heard } = await vetActs(act(status), checks)
    expect(run.impossible).toMatch(
      new RegExp(`answers ${status} with .*"No certificate was sent".* try https://.* \\(--cert,`),
    )
    expect(decideExitCode(run)).toBe(3)
    expect(heard.at(-1)?.key).toBe(null)
  })

  test.for([
    ['404', act(404)],
    ['a page with a key alone', ({ key }: ReceivedRequest) => (key ? act(400)() : error(401))],
  ] as const)('but may be the API with %s', async ([, respond]) => {
    const { run } = await vetActs(respond, checks)
    expect([run.impossible, decideExitCode(run)]).toEqual([null, 1])
  })
})

describe('without a response', () => {
  test.for(['drop', 'silence'] as const)(
    'the first request is sent again on a new connection: %s',
    async (lost) => {
      const act = (heard: ReceivedRequest, before: number) =>
        before === 0 ? lost : respondValidly(heard)
      const { run, heard } = await vetActs(act, checks, { responseTimeoutMs: 1_000 })
      expect([run.impossible, run.verdict]).toEqual([null, 'conformant'])
      expect(heard.slice(0, 2).map(({ connection }) => connection)).toEqual([1, 2])
    },
  )

  test('twice, the run ends', async () => {
    const { run, heard } = await vetActs(() => 'drop', checks)
    expect([run.impossible, decideExitCode(run)]).toEqual([
      expect.stringContaining('gave no answer: the connection was closed'),
      3,
    ])
    expect(heard).toHaveLength(2)
  })
})

test('a target that starts is waited for, and what was sent meanwhile is not judged', async () => {
  const answers = ['refused', 'reset', 'refused'] as const
  let sent = 0
  const starting = ({ client, ...wires }: Wires): Wires => {
    const send: Wires['client']['send'] = async (request) => {
      const noResponse = answers[sent++]
      return noResponse
        ? { response: null, noResponse, sentMs: 0, receivedMs: 0 }
        : client.send(request)
    }
    return { ...wires, client: { ...client, send } }
  }
  const options = { hasClock: false, waitForTargetMs: 10_000 }
  const world = openVirtually({}, twoFree, options, starting)
  const [lines, waits]: [string[], number[]] = [[], []]
  const run = await runVirtually(world, checks, {
    exchange: (line) => lines.push(line),
    event: (event) => event.kind === 'waiting' && waits.push(event.ms),
  })
  expect([run.verdict, waits, lines.length]).toEqual([
    'conformant',
    [10_000, 9_000, 8_000],
    run.requests,
  ])
})

test.for([
  ['a refused connection', 'http:', 'the connection was refused'],
  ['a failed handshake', 'https:', 'the TLS handshake failed'],
] as const)('%s counts as no request', async ([, scheme, why]) => {
  const server = await opened(serveActs(respondValidly))
  if (scheme === 'http:') await server.close()
  const { run, lines } = await vetOrigin(server.origin.replace('http:', scheme), checks)
  expect(run.impossible).toContain(`gave no answer: ${why}`)
  expect([run.requests, run.requestsByKey, lines.length]).toEqual([0, { 'free-1': 0 }, 1])
})

describe('a wrong base address is one fail, and the rest is blocked', () => {
  test('where it redirects, and the other host sees nothing', async () => {
    const other = await opened(serveActs(respondValidly))
    const away = { status: 301, headers: [['Location', `${other.origin}/login`]] } as const
    const { run } = await vetActs(() => away, checks)
    expect(other.connections()).toBe(0)
    expect(detailOf(run, 'smoke-list-200')).toContain(`it redirects to ${other.origin}/login`)
    expect([run.verdict, decideExitCode(run)]).toEqual(['not-conformant', 1])
    expect(run.checks.map(({ outcome }) => outcome)).toEqual(['fail', 'untested', 'untested'])
  })

  test.for([
    ['a redirect to another host', '/v1', 301, 'http://elsewhere.test/v1/pets'],
    ['a redirect to another scheme', '/v1', 308, 'https://elsewhere.test/v1/pets'],
    ['404 without /v1', '', 404, null],
  ] as const)('%s is exit 3, with the address to try', async ([, path, status, location]) => {
    const moved = { status, headers: [['Location', location ?? '']] } as const
    const act = () => (location === null ? error(status) : moved)
    const server = await opened(serveActs(act))
    const { run } = await vetOrigin(server.origin, checks, {
      baseUrl: `${server.origin}${path}`,
    })
    const there = location?.replace('/pets', '') ?? `${server.origin}/v1`
    expect(run.impossible).toContain(`did you mean ${there}?`)
    expect([run.verdict, decideExitCode(run)]).toEqual(['error', 3])
  })

  test.for([
    // A fetch of a pet whose id is no integer may draw any 4xx.
    ['/v1/pets', 400, '/v1'],
    ['/v1/pets/', 422, '/v1'],
    ['/api/v1/pets/1', 404, '/api/v1'],
    ['/pets', 404, '/v1'],
  ] as const)('a base URL of an operation, %s, likewise', async ([path, status, there]) => {
    const server = await opened(serveActs(() => error(status)))
    const baseUrl = `${server.origin}${path}`
    const { run } = await vetOrigin(server.origin, checks, { baseUrl })
    const what = `answers ${status}, and does not end in /v1`
    const meant = `did you mean ${server.origin}${there}?`
    expect(run.impossible).toBe(`${baseUrl.replace(/\/$/, '')} ${what}: ${meant}`)
    expect(decideExitCode(run)).toBe(3)
  })
})

describe('a run is held', () => {
  test('with the keys that are not refused, and says which are', async () => {
    const act = (heard: ReceivedRequest) =>
      heard.key === second ? error(401) : respondValidly(heard)
    const { run, heard } = await vetActs(act, checks, { keys: twoFree })
    expect(run.notes).toEqual(['key free-2 was refused and is not used'])
    expect(outcomeOf(run, 'second')).toBe('pass')
    expect(run.verdict).toBe('conformant')
    expect(heard.filter(({ key }) => key === second)).toHaveLength(2)
  })

  test('and says which key is too short to be hidden in parts', async () => {
    const short = { plan: 'free', key: 'free-key', quota: plans.free } as const
    const { run } = await vetActs(respondValidly, checks, { keys: [short] })
    expect(run.notes).toEqual([
      'the key of free-1 is shorter than 12 characters: reports may show a part of it',
    ])
  })

  test('where a key is refused for the list alone', async () => {
    const act = (heard: ReceivedRequest) => (heard.path === '/v1/pets/1' ? error(404) : error(403))
    const { run } = await vetActs(act, checks)
    expect(run.impossible).toBe(null)
    expect(outcomeOf(run, 'first')).toBe('fail')
  })
})

test('with --no-wait a spent minute says when to try again', async () => {
  const spent = { ...error(429), headers: [['Retry-After', '15'] as const] }
  const { run, heard } = await vetActs(() => spent, checks, { clockUrl: null, noWait: true })
  expect(heard).toHaveLength(1)
  expect(new Set(run.checks.map(({ because }) => because))).toEqual(new Set(['budget']))
  for (const { detail } of run.checks) {
    expect(detail).toMatch(/^no call is left in this minute: try again in 1\d s$/)
  }
  expect([run.notes, decideExitCode(run)]).toEqual([[], 4])
})

test('a target that always returns 429 is soon given up, and undecided', async () => {
  const { run, heard } = await vetActs(() => error(429), checks)
  expect([run.verdict, decideExitCode(run)]).toEqual(['undecided', 4])
  expect(outcomeOf(run, 'smoke-list-200')).toBe('untested (blocked)')
  expect(heard).toHaveLength(4)
})
