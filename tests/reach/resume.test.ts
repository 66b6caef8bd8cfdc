// A resumed run reaches its target in the same way: certificate, proxy and headers.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RunFile } from '../../engine/check/run-file.ts'
import { folderWith, petvet, readRunFile } from '../e2e/petvet.ts'
import { certificate } from '../hostile/certificate-servers.ts'
import { testKey } from '../vet-reference.ts'
import { openProxy } from './proxies.ts'
import { openGate } from './tls-gate.ts'
import { startServer, vetThere } from './vet-there.ts'

/** As a kill leaves it in the midst of the last check. */
const interruptAfter = (run: string): void => {
  rmSync(join(run, 'run.json'))
  const journal = join(run, 'journal.ndjson')
  const lines = readFileSync(journal, 'utf8').trimEnd().split('\n')
  const last = lines.findLastIndex((line) => line.startsWith('{"kind":"result"'))
  writeFileSync(journal, `${lines.slice(0, last).join('\n')}\n`)
}

const outcomes = ({ checks }: RunFile) => new Map(checks.map(({ id, outcome }) => [id, outcome]))

test('by a client certificate and a proxy', { timeout: 60_000 }, async () => {
  const own = await certificate({ names: ['client.example'], days: [-1, 1] })
  const { origin } = await startServer()
  const tls = { requestCert: true, rejectUnauthorized: true, ca: own.cert }
  const gate = await openGate({ origin, tls })
  const proxy = await openProxy({ wants: null, status: null })
  const folder = folderWith({ 'ca.pem': gate.ca, 'own.pem': own.cert, 'own.key': own.key })
  const trust = ['--ca', 'ca.pem', '--proxy', proxy.origin]
  const identity = ['--cert', 'own.pem', '--cert-key', 'own.key']
  const { code, out } = await vetThere(`${gate.origin}/v1`, folder, [...trust, ...identity])
  expect(code).toBe(0)
  const whole = readRunFile(out)
  const tunnels = proxy.tunnels.length
  interruptAfter(out)

  const again = (...flags: string[]) =>
    petvet(['check', '--resume', out, '--key', 'free=$PET_KEY', ...flags], {
      folder,
      env: { PET_KEY: testKey },
    })
  const elsewhere = await again('--proxy', 'http://127.0.0.1:9')
  expect([elsewhere.code, elsewhere.stdout]).toEqual([3, expect.stringContaining('proxy')])
  const there = await again()
  expect(there.code, there.stderr).toBe(0)
  const run = readRunFile(out)
  expect(run.target).toEqual(whole.target)
  expect(outcomes(run)).toEqual(outcomes(whole))
  expect(proxy.tunnels.length).toBeGreaterThan(tunnels)
})
