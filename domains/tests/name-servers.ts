// Name servers of other makers, on loopback and a free port, gone after the test.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { freePort } from '../../tests/free-port.ts'
import { askDns, type Resolver } from '../check/acquire/dns-client.ts'

/** Lines of each zone, by its name; names in them are absolute. */
export type ZoneLines = Readonly<Record<string, readonly string[]>>

interface Maker {
  readonly program: string
  readonly words: (file: string) => readonly string[]
  readonly configuration: (folder: string, port: number, zones: readonly string[]) => string
}

const knot: Maker = {
  program: 'knotd',
  words: (file) => ['-c', file],
  configuration: (folder, port, zones) =>
    [
      `server:\n  rundir: "${folder}"\n  listen: 127.0.0.1@${port}`,
      `database:\n  storage: "${folder}/db"`,
      'template:',
      `  - id: default\n    storage: "${folder}"`,
      '    zonefile-sync: -1\n    journal-content: none',
      'zone:',
      ...zones.map((zone) => `  - domain: ${zone}\n    file: ${zone}.zone`),
      '',
    ].join('\n'),
}

const nsd: Maker = {
  program: 'nsd',
  words: (file) => ['-d', '-c', file],
  configuration: (folder, port, zones) =>
    [
      'server:',
      `  ip-address: 127.0.0.1@${port}`,
      `  zonesdir: "${folder}"\n  xfrdir: "${folder}"\n  zonelistfile: "${folder}/list"`,
      `  pidfile: "${folder}/pid"`,
      '  username: ""\n  chroot: ""\n  database: ""\n  server-count: 1',
      'remote-control:\n  control-enable: no',
      ...zones.map((zone) => `zone:\n  name: ${zone}\n  zonefile: ${zone}.zone`),
      '',
    ].join('\n'),
}

export const makers = { knot, nsd }

/** The folders of system programs are not on every path. */
const path = `${process.env.PATH}:/usr/sbin:/sbin`

export const isInstalled = (program: string): boolean =>
  spawnSync(program, ['-h'], { env: { ...process.env, PATH: path } }).error === undefined

const zoneFile = (zone: string, lines: readonly string[]): string =>
  [
    '$TTL 3600',
    `${zone}. IN SOA ns.${zone}. admin.${zone}. 1 3600 600 86400 60`,
    `${zone}. IN NS ns.${zone}.`,
    `ns.${zone}. IN A 127.0.0.1`,
    ...lines,
    '',
  ].join('\n')

/** A folder of the test's own, gone after it. */
export const ownFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'petvet-names-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Starts a program that ends with the test. @returns what it has said so far */
export const startProgram = (
  program: string,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): (() => string) => {
  const child = spawn(program, words, { env: { ...process.env, PATH: path, ...env } })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said += chunk
    })
  }
  child.on('error', (error) => {
    said += error.message
  })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return () => said
}

const looksMost = 100
const lookEachMs = 100

/** Answers once the server does. */
export const startNameServer = async (maker: Maker, zones: ZoneLines): Promise<Resolver> => {
  const folder = ownFolder()
  const port = await freePort()
  mkdirSync(join(folder, 'db'))
  for (const [zone, lines] of Object.entries(zones)) {
    writeFileSync(join(folder, `${zone}.zone`), zoneFile(zone, lines))
  }
  const file = join(folder, 'server.conf')
  writeFileSync(file, maker.configuration(folder, port, Object.keys(zones)))
  const said = startProgram(maker.program, maker.words(file), {})
  const resolver = { address: '127.0.0.1', port }
  const [zone = ''] = Object.keys(zones)
  for (let look = 0; look < looksMost; look++) {
    const reply = await askDns(resolver, { name: zone, type: 'SOA' }, lookEachMs)
    if ('rcode' in reply && reply.rcode === 'NOERROR') return resolver
    await new Promise((resolve) => setTimeout(resolve, lookEachMs))
  }
  throw new Error(`${maker.program} did not start: ${said()}`)
}
