// Certificates on real sockets: of the target, of the client, and invalid files.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CheckFlags } from '../../cli/flags.ts'
import { writeCurl } from '../../engine/http/curl.ts'
import { Redactor } from '../../engine/http/redact.ts'
import { folderWith, runShell } from '../e2e/petvet.ts'
import { certificate, locked } from '../hostile/certificate-servers.ts'
import { openGate } from './tls-gate.ts'
import { reachThere, startServer, vetInside, vetThere } from './vet-there.ts'

const good = { names: ['127.0.0.1'], days: [-1, 1] } as const
const client = { names: ['client.example'], days: [-1, 1] } as const

/** A server that accepts one client certificate only. */
const openMutual = async (ownCert: string) => {
  const { origin } = await startServer()
  const tls = { requestCert: true, rejectUnauthorized: true, ca: ownCert }
  return openGate({ origin, tls })
}

describe('a server that requests a client certificate', () => {
  const given = async (own: { cert: string; key: string }) => {
    const gate = await openMutual(own.cert)
    const other = await certificate(client)
    const folder = folderWith({
      'ca.pem': gate.ca,
      'own.pem': own.cert,
      'own.key': own.key,
      'own.locked': locked(own.key),
      'both.pem': `${own.cert}\n${own.key}`,
      'other.pem': other.cert,
      'other.key': other.key,
      'petvet.config.yaml':
        'clientCertificate: { cert: own.pem, key: own.locked, passphrase: $PASS }\nca: ca.pem\n',
    })
    const PASS = 'open sesame'
    const at = `${gate.origin}/v1`
    const vet = (flags: CheckFlags) =>
      vetInside(at, folder, { ca: 'ca.pem', ...flags }, { PASS, WRONG: 'open barley' })
    const command = (...flags: string[]) => vetThere(at, folder, flags, { PASS })
    const curl = (flags: CheckFlags) => {
      const { reach } = reachThere(at, folder, { ca: 'ca.pem', ...flags }, { PASS })
      const request = { method: 'GET', url: `${at}/pets`, headers: [], body: null }
      return writeCurl(request, new Redactor(), reach.curl)
    }
    return { gate, folder, vet, command, curl }
  }

  test('accepts it from the configuration, its key encrypted', async () => {
    const { command, gate } = await given(await certificate(client))
    const { code, run, all } = await command()
    expect(code).toBe(0)
    expect(run().target).toMatchObject({ clientCertificate: true })
    expect(gate.received()).toBeGreaterThan(3)
    expect(all).not.toContain('open sesame')
  })

  test.for<[string, CheckFlags]>([
    ['in two files', { cert: 'own.pem', 'cert-key': 'own.key' }],
    ['in one file', { cert: 'both.pem' }],
  ])('accepts it given %s', async ([, flags]) => {
    const { vet, gate } = await given(await certificate(client))
    const run = await vet(flags)
    expect(run.verdict).toBe('conformant')
    expect(gate.received()).toBeGreaterThan(3)
  })

  test.for<[string, CheckFlags]>([
    ['no certificate', {}],
    ['another one', { cert: 'other.pem', 'cert-key': 'other.key' }],
  ])('rejects %s', async ([, flags]) => {
    const { vet, gate } = await given(await certificate(client))
    const { verdict, impossible } = await vet(flags)
    expect(verdict).toBe('error')
    expect(impossible).toMatch(/client certificate.*--cert/)
    expect(gate.received()).toBe(0)
  })

  test('accepts the curl line of a report', async ({ skip }) => {
    const { curl, folder } = await given(await certificate(client))
    const flags = { cert: 'own.pem', 'cert-key': 'own.locked', 'cert-passphrase': '$PASS' }
    const said = async (line: string) => {
      const { code, stdout } = await runShell(line, folder, { PASS: 'open sesame' }, 'bash')
      if (code === 127) skip('there is no curl')
      return stdout
    }
    expect(await said(curl(flags))).toMatch(/^HTTP\/1.1 401/)
    expect(await said(curl({}))).toBe('')
  })

  test('takes one of PKCS#12', async ({ skip }) => {
    const { vet, folder } = await given(await certificate(client))
    const words = ['pkcs12', '-export', '-inkey', 'own.key', '-in', 'own.pem', '-out', 'own.p12']
    const made = spawnSync('openssl', [...words, '-passout', 'pass:open sesame'], { cwd: folder })
    if (made.error) skip('there is no openssl to make one')
    const shown = (passphrase: string | undefined) =>
      Promise.try(vet, { cert: 'own.p12', 'cert-passphrase': passphrase })
    expect((await shown('$PASS')).verdict).toBe('conformant')
    await expect(shown('$WRONG')).rejects.toThrow('cannot be used with its key: ')
    await expect(shown(undefined)).rejects.toThrow('cannot be used with its key: ')
  })
})

describe('a certificate of the target', () => {
  const openWith = async (validity: Parameters<typeof certificate>[0]) => {
    const { origin, received } = await startServer()
    const pem = await certificate(validity)
    const gate = await openGate({ origin, tls: pem })
    return { at: `${gate.origin}/v1`, received, folder: folderWith({ 'ca.pem': pem.cert }) }
  }

  test.for([
    [
      'that nobody signed',
      good,
      '; name its authority with --ca FILE, or for a test there is --insecure',
    ],
    ['that is expired', { ...good, days: [-3, -1] }, 'has expired; for a test there is --insecure'],
    ['that is not valid yet', { ...good, days: [1, 3] }, 'is not yet valid; for a test'],
    ['for another name', { ...good, names: ['example.com'] }, 'does not match certificate'],
  ] as const)('%s ends the run, and says what to do', async ([, validity, says]) => {
    const { at, received, folder } = await openWith(validity)
    // An untrusted certificate is reported first.
    const trust = validity === good ? {} : { ca: 'ca.pem' }
    const { verdict, impossible } = await vetInside(at, folder, trust, {})
    expect(verdict).toBe('error')
    expect(impossible).toContain(says)
    expect(received()).toBe(0)
  })

  test('is accepted with --insecure, and each report says so', async () => {
    const { at } = await openWith({ ...good, days: [-3, -1] })
    const { code, run, out, stdout, stderr } = await vetThere(at, folderWith({}), ['--insecure'])
    expect(code).toBe(0)
    expect(run().target.insecure).toBe(true)
    expect(stderr).toContain("petvet: the target's certificate is not verified (--insecure)")
    const said = "the target's certificate is not verified (--insecure)"
    expect(stdout.replace(/\s+/g, ' ')).toContain(said)
    for (const name of ['report.md', 'report.html', 'run.json', 'junit.xml']) {
      const text = readFileSync(join(out, name), 'utf8').replaceAll(/&#39;|&apos;/g, "'")
      expect(text, name).toContain(said)
    }
  })
})
