// Locust sends what its plan has, once, with four workers; the program is as the linter wants it.
import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { plans } from '../spec/plans.ts'
import { allText, emptyFolder } from './e2e/petvet.ts'
import { loadWithLocust, locust } from './locust-run.ts'
import { serveWith } from './raw-server.ts'
import { openGate } from './reach/tls-gate.ts'
import { isProof } from './sample.ts'
import { serveReference } from './serve-reference.ts'
import { outcomesOf } from './vet-reference.ts'

const long = { timeout: 180_000, skip: locust === null }
const key = 'a-key+of/locust1='
const startServer = () => serveReference({ keys: [{ plan: 'free', key, quota: plans.free }] })

const times = Array.from({ length: isProof ? 10 : 1 }, (_, at) => at + 1)

test.for(times)('a burst of a Free key is served exactly its quota, run %i', long, async () => {
  const server = await startServer()
  const { code, run, folder, printed } = await loadWithLocust(
    server.url,
    [`free=${key}`],
    ['--scenario', 'burst', '--connections', '40'],
  )
  const { counts, sent } = run.load?.[0]?.columns.target ?? {}
  const { served = 0, refused = 0, banned = 0 } = counts ?? {}
  expect([served, refused + banned]).toEqual([60, 40])
  // One more is sent without a key.
  expect([sent, server.received?.()]).toEqual([100, 101])
  expect(outcomesOf(run, 'fail', 'warn', 'error', 'untested')).toEqual([])
  expect([code, run.notes]).toEqual([0, []])
  const written = `${allText(folder)}${printed}`
  for (const form of [key, encodeURIComponent(key), btoa(key).replace(/=+$/, '')]) {
    expect(written).not.toContain(form)
  }
})

test('a lost request is sent once, and no redirect is followed', long, async () => {
  let received = 0
  let elsewhere = 0
  const other = await serveWith((_request, response) => {
    elsewhere += 1
    response.end()
  })
  const origin = await serveWith((request, response) => {
    request.resume()
    received += 1
    if (received % 3 === 0) response.socket?.destroy()
    else if (received % 3 === 1) response.writeHead(302, { Location: `${other}/v1/pets` }).end()
    else response.writeHead(200, { 'Retry-After': key, 'X-RateLimit-Limit': btoa(key) }).end('[]')
  })
  const { run, folder } = await loadWithLocust(
    `${origin}/v1`,
    [`free=${key}`],
    ['--scenario', 'burst', '--connections', '20'],
  )
  const { counts, sent } = run.load?.[0]?.columns.target ?? {}
  expect([sent, elsewhere]).toEqual([80, 0])
  // The first one is sent without a key.
  expect(received).toBe(81)
  expect(counts).toMatchObject({ served: 27, otherClientError: 26, reset: 27 })
  const written = allText(folder)
  for (const form of [key, btoa(key).replace(/=+$/, '')]) expect(written).not.toContain(form)
})

test('a certificate is verified, also by an own CA', long, async () => {
  const server = await startServer()
  const gate = await openGate({ origin: new URL(server.url).origin })
  const folder = emptyFolder()
  const ca = join(folder, 'own.pem')
  writeFileSync(ca, gate.ca)
  const flags = ['--scenario', 'steady', '--duration', '10', '--connections', '4']
  const target = `${gate.origin}/v1`
  const keys = [`free=${key}`]
  const all = await Promise.all([
    loadWithLocust(target, keys, flags),
    loadWithLocust(target, keys, [...flags, '--ca', ca]),
    loadWithLocust(target, keys, flags, { REQUESTS_CA_BUNDLE: ca }),
  ])
  const countsOf = all.map(({ run }) => run.load?.[0]?.columns.target?.counts)
  const trusted = expect.objectContaining({ served: 8, reset: 0 })
  expect(countsOf).toEqual([expect.objectContaining({ served: 0, reset: 8 }), trusted, trusted])
  expect([gate.received(), ...all.map(({ code }) => code)]).toEqual([18, 4, 0, 0])
})

const ruff = locust === null ? '' : join(locust, '../ruff')

test.skipIf(!existsSync(ruff))('the program is formatted, and has no finding of Ruff', () => {
  const folder = join(import.meta.dirname, '../load/locust')
  for (const args of [['check'], ['format', '--check']]) {
    expect(execFileSync(ruff, [...args, folder], { encoding: 'utf8' })).toMatch(/passed|formatted/)
  }
})
