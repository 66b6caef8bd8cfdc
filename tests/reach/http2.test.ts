// A target that speaks only HTTP/2 ends the run with one line; one that speaks both is tested over
// HTTP/1.1.
import { createSecureServer, createServer } from 'node:http2'
import type { Server } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { expect, test } from 'vitest'
import { direct } from '../../engine/http/connection-options.ts'
import { runSuites } from '../../engine/run/run.ts'
import { catalogue } from '../../suites/index.ts'
import { certificate } from '../hostile/certificate-servers.ts'
import { listening } from '../raw-server.ts'
import { silent, testOptions } from '../vet-reference.ts'

type Pem = Awaited<ReturnType<typeof certificate>>

/** A frame of SETTINGS without a setting, and one of GOAWAY. */
const frames = Buffer.from('000000040000000000' + '0000080700000000000000000000000001', 'hex')

const holdRun = async (server: Server, scheme: 'http' | 'https', ca: string | null) => {
  const origin = (await listening(server)).replace('http:', `${scheme}:`)
  const options = testOptions(`${origin}/v1`, {
    responseTimeoutMs: 2_000,
    reach: { ...direct, ca },
  })
  return runSuites(catalogue, options, silent)
}

const byAlpn = (pem: Pem) => createSecureServer(pem) as unknown as Server
const withoutAlpn = (pem: Pem) => createTlsServer(pem, (socket) => socket.end(frames))
const inCleartext = () => createServer() as unknown as Server

test.for([
  ['refuses what is offered in the TLS handshake', 'https', byAlpn],
  ['looks at no offer', 'https', withoutAlpn],
  ['is reached without TLS', 'http', inCleartext],
] as const)('a server of HTTP/2 alone that %s ends the run', async ([, scheme, open]) => {
  const pem = await certificate({ names: ['127.0.0.1'], days: [-1, 1] })
  const run = await holdRun(open(pem), scheme, pem.cert)
  expect(run.impossible).toMatch(
    /gave no answer: .+: the server speaks only HTTP\/2; petvet uses HTTP\/1\.1$/,
  )
  expect(run.verdict).toBe('error')
  expect(run.checks.filter(({ outcome }) => outcome !== 'untested')).toEqual([])
})

test('a server of both versions gets HTTP/1.1', async () => {
  const pem = await certificate({ names: ['127.0.0.1'], days: [-1, 1] })
  const versions = new Set<string>()
  const server = createSecureServer({ ...pem, allowHTTP1: true }, (request, response) => {
    versions.add(request.httpVersion)
    response.writeHead(401, { 'Content-Type': 'application/json' }).end('{}')
  })
  const run = await holdRun(server as unknown as Server, 'https', pem.cert)
  expect(run.impossible).toContain('refused with 401')
  expect([...versions]).toEqual(['1.1'])
})
