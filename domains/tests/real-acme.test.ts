// A certificate from a real ACME server, by way of our DNS and edge, where Pebble is installed.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent, fetch } from 'undici'
import { describe, expect, onTestFinished, test } from 'vitest'
import { acquire } from '../check/acquire/acquire.ts'
import { usualLimits } from '../check/acquire/probe.ts'
import { judge } from '../check/judge/judge.ts'
import { type Credentials, createAuthority } from '../demo/authority.ts'
import { platformHost, primary, redirects } from '../demo/customers.ts'
import { startDemo } from '../demo/demo.ts'
import type { PublishingVariant } from '../demo/variant.ts'
import { inPlaceOf } from '../faults/records.ts'
import { issueOverHttp } from './acme.ts'
import { factsOf } from './facts-of.ts'
import { freePort, isInstalled, ownFolder, startProgram } from './name-servers.ts'

const lacks = !isInstalled('pebble')
const reason = lacks ? ': pebble is not installed here' : ''
const seconds = 30_000
const host = 'docs.farm.test'

const insecure = new Agent({ connect: { rejectUnauthorized: false } })

const looksMost = 100
const lookEachMs = 100

/** @returns the address of its directory, and its root certificate in PEM */
const startPebble = async (dns: string, httpPort: number) => {
  const folder = ownFolder()
  const [api, management] = [await freePort(), await freePort()]
  const now = Date.now()
  const own = await (await createAuthority()).issue({
    names: ['localhost'],
    notBefore: new Date(now - 60_000),
    notAfter: new Date(now + 3600_000),
    signedBy: 'itself',
    withChain: false,
  })
  writeFileSync(join(folder, 'cert.pem'), own.cert)
  writeFileSync(join(folder, 'key.pem'), own.key)
  const pebble = {
    listenAddress: `127.0.0.1:${api}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate: join(folder, 'cert.pem'),
    privateKey: join(folder, 'key.pem'),
    httpPort,
    tlsPort: httpPort,
    ocspResponderURL: '',
    externalAccountBindingRequired: false,
  }
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ pebble }))
  const words = ['-config', join(folder, 'config.json'), '-dnsserver', dns, '-strict']
  const said = startProgram('pebble', words, {
    PEBBLE_VA_NOSLEEP: '1',
    PEBBLE_WFE_NONCEREJECT: '0',
  })
  for (let look = 0; look < looksMost; look++) {
    try {
      const root = await fetch(`https://127.0.0.1:${management}/roots/0`, { dispatcher: insecure })
      return { directory: `https://127.0.0.1:${api}/dir`, root: await root.text() }
    } catch {
      await new Promise((resolve) => setTimeout(resolve, lookEachMs))
    }
  }
  throw new Error(`pebble did not start: ${said()}`)
}

/** A demonstration whose one domain has the certificate that is put there, and no other. */
const demonstrate = async (variant: PublishingVariant) => {
  const answers = new Map<string, string>()
  const issued: { credentials: Credentials | null } = { credentials: null }
  const demo = await startDemo(
    {
      ...variant,
      credentials: (honest, sni, _address, fallback) =>
        sni === host ? (issued.credentials ?? fallback) : honest,
      answer: (honest, request) => {
        const token = /^\/\.well-known\/acme-challenge\/(.+)$/.exec(request.path)?.[1] ?? ''
        const body = request.host === host ? answers.get(token) : undefined
        return body === undefined ? honest(request) : { status: 200, headers: {}, body }
      },
    },
    null,
  )
  onTestFinished(demo.close)
  return {
    demo,
    issued,
    publish: (token: string, answer: string) => void answers.set(token, answer),
  }
}

describe.skipIf(lacks)(`Pebble${reason}`, () => {
  test('issues for a domain that points at the platform', { timeout: seconds }, async () => {
    const { demo, issued, publish } = await demonstrate({})
    const { directory, root } = await startPebble(demo.dns, demo.httpPort)
    const look = async () => {
      const { httpsPort, httpPort } = demo
      const config = { primary, redirects: redirects.filter(({ from }) => from === host) }
      const { asked } = factsOf([], [], { platformHost, httpsPort, httpPort, authorities: [] })
      const [address = '', port = ''] = demo.dns.split(':')
      const facts = await acquire({
        asked,
        config,
        resolvers: [{ address, port: Number(port) }],
        dnsTimeoutMs: 2_000,
        ca: `${demo.rootPem}\n${root}`,
        limits: usualLimits,
        signal: new AbortController().signal,
      })
      const isIt = (check: string) => (each: { check: string; host: string | null }) =>
        each.check === check && each.host === host
      return ['domain-certificate', 'domain-redirect'].map(
        (check) => judge(facts).find(isIt(check))?.said.kind,
      )
    }
    // It redirects, but nobody who trusts certificates comes to see it.
    expect(await look()).toEqual(['breach', 'pass'])
    issued.credentials = await issueOverHttp(directory, host, publish)
    expect(await look()).toEqual(['pass', 'pass'])
  })

  test('issues nothing for one that does not', { timeout: seconds }, async () => {
    const { demo, publish } = await demonstrate(inPlaceOf(host))
    const { directory } = await startPebble(demo.dns, demo.httpPort)
    await expect(issueOverHttp(directory, host, publish)).rejects.toThrow(/invalid/)
  })
})
