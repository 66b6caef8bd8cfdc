// `petvet domains` as a user runs it: the demonstration checked, mistakes, a removal.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  marker,
  type PublishingVariant,
  platformHost,
  primary,
  redirects,
  startDemo,
} from '../../domains/demo/start-demo.ts'
import { readRun } from '../../reports/read-run.ts'
import { emptyFolder, folderWith, petvet, start } from './petvet.ts'

const slow = 90_000

const write = (folder: string, name: string, value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  writeFileSync(join(folder, name), text)
  return name
}

/** A demonstration within the test, and the flags that look at it. */
const demonstrate = async (variant: PublishingVariant, folder: string) => {
  const demo = await startDemo(variant, null)
  onTestFinished(demo.close)
  write(folder, 'domains.json', { domains: { primary, redirects } })
  write(folder, 'root.pem', demo.rootPem)
  const flags = {
    domains: 'domains.json',
    'platform-host': platformHost,
    marker,
    resolver: demo.dns,
    'ca-file': 'root.pem',
    'https-port': String(demo.httpsPort),
    'http-port': String(demo.httpPort),
  }
  const words = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])
  return { demo, flags: words }
}

test('the printed command checks the demonstration, and everything passes', {
  timeout: slow,
}, async () => {
  const folder = emptyFolder()
  const demo = start(['domains', 'demo'], { folder, input: null })
  const printed = await demo.printed(/petvet: Type/)
  const line = /^petvet: check petvet (.+)$/m.exec(printed)?.[1] ?? ''
  const { code, stdout } = await petvet([...line.split(' '), '--out', 'run'], { folder })
  expect(stdout).toMatch(/^ {2}pass {6}www\.animals\.test\n/)
  expect(stdout).toMatch(/petvet: conformant \(11 of 11 musts and 7 of 8 shoulds tested/)
  expect(code).toBe(0)
  const run = readRun(join(folder, 'run'))
  expect(run.checks.filter(({ outcome }) => ['fail', 'warn', 'error'].includes(outcome))).toEqual(
    [],
  )
  expect(run.requests).toBe(16)
  demo.interrupt('SIGINT')
  expect((await demo.ended).code).toBe(0)
  expect(existsSync(line.split(' ')[3] ?? '')).toBe(false)
})

test('a fault is reported with what shows it, and the command to reproduce it', {
  timeout: slow,
}, async () => {
  const folder = emptyFolder()
  const credentials: PublishingVariant['credentials'] = (honest, sni, _address, fallback) =>
    sni === 'docs.farm.test' ? fallback : honest
  const { flags } = await demonstrate({ credentials }, folder)
  const saving = ['--out', 'run', '--report', 'junit']
  const found = await petvet(['domains', 'check', ...flags, ...saving], { folder })
  expect(found.code).toBe(1)
  expect(found.stdout).toMatch(/^ {2}fail {6}docs\.farm\.test +domain-certificate: expected a /m)
  expect(found.stdout).toContain('FAIL  domain-certificate@docs.farm.test')
  expect(found.stdout).toContain('(DNS and CAA are right: use Re-verify)')
  expect(found.stdout).toMatch(
    /Request {3}curl -sSi --cacert 'root\.pem' --resolve 'docs\.farm\.test:\d+:127\.0\.0\.1' /,
  )
  expect(found.stdout).toMatch(/Reproduce {1}petvet domains check --domains domains\.json /)
  expect(found.stdout).not.toMatch(/Reproduce .*--(?:out|report)/)
})

const host = 'docs.farm.test'

test('a watch ends with all certificates, and with the removal, which is judged', {
  timeout: slow,
}, async () => {
  const folder = emptyFolder()
  const { demo, flags } = await demonstrate({}, folder)
  const checksIn = (name: string) => readRun(join(folder, name)).checks
  const watching = (out: string, ...more: string[]) => {
    return ['domains', 'watch', ...flags, '--interval', '1', '--out', out, ...more]
  }
  const verified = ['--verified-at', new Date().toISOString()]
  const { code, stderr } = await petvet(watching('ready', ...verified), { folder })
  expect([code, stderr]).toEqual([0, expect.stringContaining('certificate: all are ready')])
  const isSoon = ({ requirement }: { requirement: string }) => /certificate-soon$/.test(requirement)
  const soon = checksIn('ready').filter(isSoon)
  expect(soon.map(({ outcome }) => outcome)).toEqual(['pass', 'pass', 'pass', 'pass'])

  const untilGone = ['--until', 'gone', '--host', host]
  const watch = start(watching('gone', ...untilGone), { folder, input: null })
  const words = ['domains', 'removed', ...flags, '--host', host, '--out', 'removed']
  const removed = start(words, { folder, input: null })
  await watch.printedError(/gone: waiting for docs\.farm\.test: 308 with Location/)
  await removed.printedError(/then press Enter/)
  expect(demo.remove(host)).toBe(true)
  removed.type('\n')
  expect(await watch.ended).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('gone: all are ready'),
  })
  expect(await removed.ended).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`${host} returns 308 with Location https://${primary}/`),
  })
  const outcomesIn = (name: string) => checksIn(name).map(({ id, outcome }) => `${id} ${outcome}`)
  expect(outcomesIn('gone')).toContain(`removed-fresh@${host} pass`)
  const ways = ['fresh', 'plain-http', 'held', 'resumed', 'other-sni']
  const passed = ways.map((way) => `removed-${way}@${host} pass`)
  expect(outcomesIn('removed')).toEqual(
    expect.arrayContaining([...passed, `removed-alone@${primary} pass`]),
  )
  const again = await petvet(watching('none', ...untilGone), { folder })
  expect(again.stderr).toContain(`${host} does not work: there is nothing to wait for`)
  expect(again.code).toBe(3)
})

test('each mistake of a file is one line with its place, and exit 2', async () => {
  const torn = { 'torn.json': '{"domains": {', 'torn.yaml': 'domains: [' }
  const bad = [
    'domains:',
    '  primary: 7',
    '  redirects:',
    '    - { from: "a.example.com:80", to: b.example.com, status: 200 }',
    '    - { form: a.example.com, to: b.example.com, status: 301 }',
  ].join('\n')
  const folder = folderWith({ 'bad.yaml': bad, ...torn })
  const lint = async (name: string) => {
    const words = ['domains', 'lint', '--domains', name]
    const { code, stdout, stderr } = await petvet(words, { folder })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    return stderr.trimEnd().split('\n')
  }
  const lines = await lint('bad.yaml')
  expect(lines[0]).toBe(
    'petvet: bad.yaml, line 2: domains.primary must be a string, is 7 (publishing.shape)',
  )
  expect(lines.map((line) => /^petvet: bad\.yaml, (line \d): /.exec(line)?.[1])).toEqual(
    [2, 4, 4, 5, 5].map((line) => `line ${line}`),
  )
  for (const name of [...Object.keys(torn), 'none.yaml']) expect(await lint(name)).toHaveLength(1)
})

test('a time in the future is a mistake, as of another time zone', { timeout: slow }, async () => {
  const ahead = new Date(Date.now() + 3_600_000).toISOString()
  const words = ['check', '--domains', 'd.json', '--platform-host', platformHost]
  const given = ['domains', ...words, '--verified-at', ahead]
  const { code, stderr } = await petvet(given, { folder: emptyFolder() })
  expect([code, stderr]).toEqual([2, expect.stringContaining(`--verified-at ${ahead} is in the`)])
})
