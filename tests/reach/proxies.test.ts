// Proxies on real sockets: what goes through them, what does not, and that no password is printed.
// Only they can resolve the host `api.test`.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { select } from '../../config/run-settings.ts'
import { chooseReach, direct, type HttpProxy } from '../../engine/http/connection-options.ts'
import { runSuites } from '../../engine/run/run.ts'
import type { RunOptions } from '../../engine/run/run-options.ts'
import { catalogue } from '../../suites/index.ts'
import { folderWith } from '../e2e/petvet.ts'
import { outcomesOf, silent, testKey, testOptions } from '../vet-reference.ts'
import { openProxy } from './proxies.ts'
import { openGate } from './tls-gate.ts'
import { startServer, vetThere } from './vet-there.ts'

const open = { wants: null, status: null }
const password = 'hunter2-of-the-proxy'
const token = Buffer.from(`agent:${password}`).toString('base64')

/** Where nobody listens. */
const away = 'http://127.0.0.1:1'

describe('a target over TLS', () => {
  test('is reached by a tunnel, in which the key is', async () => {
    const { origin } = await startServer()
    const gate = await openGate({ origin })
    const proxy = await openProxy({ wants: `agent:${password}`, status: null })
    const folder = folderWith({ 'ca.pem': gate.ca })
    const https_proxy = `http://agent:${password}@127.0.0.1:${proxy.port}`
    const env = { https_proxy, HTTP_PROXY: 'http://127.0.0.1:1' }
    const at = `https://api.test:${gate.port}/v1`
    const { code, stderr, run, all } = await vetThere(at, folder, ['--ca', 'ca.pem'], env)
    expect(stderr).toContain(
      `petvet: all requests go through the proxy ${proxy.origin} ($https_proxy)\n`,
    )
    expect(code).toBe(0)
    expect(run().target).toMatchObject({ proxy: proxy.origin })
    expect(run().notes).toContain(
      `all requests go through the proxy ${proxy.origin} ($https_proxy)`,
    )
    expect(new Set(proxy.tunnels)).toEqual(new Set([`api.test:${gate.port}`]))
    expect(proxy.plain).toEqual([])
    expect(proxy.seen()).not.toContain(testKey)
    for (const secret of [password, token, testKey]) expect(all).not.toContain(secret)
  })

  test.for([
    ['with a proxy of passwords', { wants: 'a:b', status: null }, 'answered 407: it wants a user'],
    ['whose proxy is not there', null, `${away} (--proxy): the connection was refused`],
    ['without TLS likewise', null, `${away} (--proxy): the connection was refused`, 'http'],
  ] as const)('%s is not reached', async ([, options, says, scheme]) => {
    const proxy = options === null ? { origin: away } : await openProxy(options)
    const at = `${scheme ?? 'https'}://api.test/v1`
    const { code, stdout } = await vetThere(at, folderWith({}), ['--proxy', proxy.origin])
    expect(code).toBe(3)
    const output = stdout.replace(/\s+/g, ' ')
    expect(output).toContain(says)
    expect(output).toContain(`${new URL(at).origin} was not reached: the proxy did not connect`)
  })
})

describe('a target of plain HTTP', () => {
  test('is reached by a tunnel too, and the run says who can read the keys', async () => {
    const { origin } = await startServer()
    const proxy = await openProxy({ wants: `agent:${password}`, status: null })
    const { port } = new URL(origin)
    const env = { PROXY: `http://agent:${password}@127.0.0.1:${proxy.port}` }
    const at = `http://api.test:${port}/v1`
    const vetted = await vetThere(at, folderWith({}), ['--proxy', '$PROXY'], env)
    expect(vetted.code).toBe(0)
    expect(new Set(proxy.tunnels)).toEqual(new Set([`api.test:${port}`]))
    expect(proxy.plain).toEqual([])
    expect(vetted.stderr).toContain('the proxy can read the keys')
    expect(vetted.run().notes.join()).toContain('the proxy can read the keys')
    for (const secret of [password, token, testKey]) expect(vetted.all).not.toContain(secret)
    const html = readFileSync(join(vetted.out, 'report.html'), 'utf8')
    expect(html).toContain('the proxy can read the keys')
  })

  test('on loopback passes by the proxy of the environment, not by a named one', async () => {
    const { origin } = await startServer()
    const proxy = await openProxy(open)
    const env = { HTTP_PROXY: proxy.origin }
    const passed = await vetThere(`${origin}/v1`, folderWith({}), [], env)
    expect(passed.code).toBe(0)
    expect(passed.run().target.proxy).toBeUndefined()
    expect(proxy.tunnels).toEqual([])
    const named = await vetThere(`${origin}/v1`, folderWith({}), ['--proxy', proxy.origin])
    expect(named.code).toBe(0)
    expect(proxy.tunnels.length).toBeGreaterThan(0)
  })
})

const some = select(catalogue, { only: ['auth', 'error-*'], skip: undefined })

const vetBy = (baseUrl: string, origin: string, differing: Partial<RunOptions>) => {
  const proxy: HttpProxy = { origin, name: '--proxy', authorization: null }
  const reach = { ...direct, proxyOf: () => proxy, ...differing.reach }
  return runSuites(some, testOptions(baseUrl, { ...differing, reach }), silent)
}

test('a proxy makes no difference to the checks', async () => {
  const { origin } = await startServer()
  const proxy = await openProxy(open)
  const run = await vetBy(`${origin}/v1`, proxy.origin, {})
  expect(outcomesOf(run, 'fail', 'error')).toEqual([])
})

test.for([407, 502, 504])('a %i is the proxy’s own, and ends the run', async (status) => {
  const proxy = await openProxy({ wants: null, status })
  const run = await vetBy('http://api.test/v1', proxy.origin, {})
  expect(run.impossible).toContain(`the proxy did not connect to the target: ${proxy.origin}`)
  expect(outcomesOf(run, 'fail', 'error')).toEqual([])
})

test('another host gets no client certificate, and has to show a good one', () => {
  const reach = { ...direct, ca: 'ca', identity: { cert: 'mine' }, insecure: true }
  const target = new URL('https://api.example/v1')
  const same = chooseReach(reach, target, new URL('https://api.example:8443/openapi.json'))
  expect(same).toMatchObject({ ca: 'ca', identity: { cert: 'mine' }, insecure: true })
  const other = chooseReach(reach, target, new URL('https://docs.example/openapi.json'))
  expect(other).toMatchObject({ ca: 'ca', identity: null, insecure: false })
})
