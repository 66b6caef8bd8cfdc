// HTTP/2: the contract draws the same outcomes as over HTTP/1.1 (tests/prove has the whole
// catalogue), and a server that offers it badly draws no fail.
import { constants } from 'node:http2'
import { createServer as createTlsServer } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { select } from '../../cli/selection.ts'
import { suiteOf } from '../../cli/suite-of.ts'
import { catalogue } from '../../suites/index.ts'
import { runSuites } from '../../suites/kit/run.ts'
import { direct } from '../../suites/kit/wire/reach.ts'
import { certificate } from '../hostile/certificates.ts'
import { listening } from '../hostile/servers.ts'
import { testOptions, told } from '../vet-reference.ts'
import { type GateOptions, openGate } from './gate.ts'
import { sameOverBoth, silent, vetThrough } from './over-http2.ts'

/** A refusal may come before 11 MiB are sent; how much of them is then depends on the version. */
const skip = ['limits', 'day-*', 'ban-*', 'create-body-huge-refused']
const contract = select(catalogue, suiteOf, { only: undefined, skip })

test(
  'the contract over HTTP/2 draws what it draws over HTTP/1.1',
  () => sameOverBoth(contract),
  60_000,
)

const some = select(catalogue, suiteOf, {
  only: ['list-limit-*', 'list-status-*', 'auth-*-list-401'],
  skip: undefined,
})
const { NGHTTP2_REFUSED_STREAM, NGHTTP2_INTERNAL_ERROR } = constants
const { NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_HTTP_1_1_REQUIRED, NGHTTP2_NO_ERROR } = constants

type Instead = NonNullable<GateOptions['instead']>

const vetSpoilt = async (instead: Instead) => {
  const open = (origin: string) => openGate({ origin, http2: true, instead })
  return vetThrough(some, true, open, { answerTimeoutMs: 2_000 }, {})
}

/** Does this to each request whose number is one of a row. */
const each = (nth: number, act: Instead) => {
  let met = 0
  return ((asked, response) => {
    met += 1
    return met % nth === 0 && act(asked, response)
  }) satisfies Instead
}

const resets =
  (code: number): Instead =>
  (_asked, response) => {
    response.stream.close(code)
    return true
  }

describe('a server that breaks now and then draws no fail', () => {
  test.for<[string, Instead]>([
    ['refuses a stream', resets(NGHTTP2_REFUSED_STREAM)],
    ['asks for calm', resets(NGHTTP2_ENHANCE_YOUR_CALM)],
    ['resets a stream', resets(NGHTTP2_INTERNAL_ERROR)],
    [
      'closes a connection',
      (_asked, response) => {
        response.stream.session?.destroy()
        return true
      },
    ],
    [
      'ends a body in its middle',
      (_asked, response) => {
        response.stream.respond({ ':status': 200, 'content-type': 'application/json' })
        response.stream.write('[{"id":1,')
        setImmediate(() => response.stream.destroy(new Error('a fault')))
        return true
      },
    ],
    [
      'takes leave before it answers',
      (_asked, response) => {
        response.stream.session?.goaway(NGHTTP2_NO_ERROR, 0)
        response.stream.session?.destroy()
        return true
      },
    ],
    [
      'takes leave, and answers',
      (_asked, response) => {
        response.stream.session?.goaway(NGHTTP2_NO_ERROR)
        return false
      },
    ],
  ])('%s', async ([, act]) => {
    const { run } = await vetSpoilt(each(13, act))
    expect(told(run, 'fail', 'error', 'warn')).toEqual([])
    expect(run.impossible).toBeNull()
  })
})

describe('a server that breaks at one request', () => {
  const at = (act: Instead) =>
    vetSpoilt((asked, response) =>
      asked.url.includes('limit=1&') || asked.url.endsWith('limit=0')
        ? act(asked, response)
        : false,
    )

  test('by a reset is not conformant', async () => {
    const { run } = await at(resets(NGHTTP2_INTERNAL_ERROR))
    expect(told(run, 'fail', 'observed').join()).toMatch(/INTERNAL_ERROR|no answer/)
  })

  test('by not looking at it is left untested', async () => {
    const { run } = await at(resets(NGHTTP2_REFUSED_STREAM))
    expect(told(run, 'fail', 'error', 'warn')).toEqual([])
    expect(told(run, 'untested').join()).toContain('HTTP/2 REFUSED_STREAM')
  })
})

test('a server that wants HTTP/1.1 for its requests gets it', async () => {
  const { run, gate } = await vetSpoilt((asked, response) => {
    if (asked.httpVersion !== '2.0') return false
    response.stream.close(NGHTTP2_HTTP_1_1_REQUIRED)
    return true
  })
  expect(run.target.http).toBe('1.1')
  expect(gate.versions.filter((each) => each === '2.0')).toHaveLength(1)
  expect(told(run, 'fail', 'error')).toEqual([])
})

test('a server of HTTP/1.1 alone is spoken to in that', async () => {
  const { run, gate } = await vetThrough(
    some,
    true,
    (origin) => openGate({ origin, http2: false }),
    {},
    {},
  )
  expect(run.target.http).toBe('1.1')
  expect(new Set(gate.versions)).toEqual(new Set(['1.1']))
  expect(told(run, 'fail', 'error')).toEqual([])
})

test('a server that refuses all it is asked ends the run', async () => {
  const { run } = await vetSpoilt(resets(NGHTTP2_ENHANCE_YOUR_CALM))
  expect(run.impossible).toContain('did not take the request: HTTP/2 ENHANCE_YOUR_CALM')
  expect(run.verdict).toBe('error')
})

test.for([
  ['speaks HTTP/1.1 all the same', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]'],
  ['says nothing that is HTTP', '\0\0\0\0\0\0\0\0\0'.repeat(20)],
] as const)('a server that offers HTTP/2 and %s ends the run', async ([, text]) => {
  const pem = await certificate({ names: ['127.0.0.1'], days: [-1, 1] })
  const server = createTlsServer({ ...pem, ALPNProtocols: ['h2'] }, (socket) => {
    socket.on('error', () => {})
    socket.write(text)
  })
  const origin = (await listening(server)).replace('http:', 'https:')
  const options = testOptions(`${origin}/v1`, {
    answerTimeoutMs: 1_000,
    reach: { ...direct, ca: pem.cert, http2: true },
  })
  const run = await runSuites(some, options, silent)
  expect(run.impossible).toContain('--http1')
  expect(told(run, 'fail')).toEqual([])
})
