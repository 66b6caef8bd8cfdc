// The package as others install it: its files, its command, its programmatic API, its adapter.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { domainsPackages, prismPackages } from '../../cli/command.ts'
import { version } from '../../engine/run/version.ts'
import { furnished, well } from '../e2e/commands-that-succeed.ts'
import { runProgram, runShell } from '../e2e/petvet.ts'
import { root, textOf } from '../layout/sources.ts'
import { isProof } from '../sample.ts'
import { serveReference } from '../serve-reference.ts'
import { type Consumer, installInto, type Packed, packInto, workshop } from './consumer.ts'
import { installedWith, maxStated } from './size.ts'

const { folder: place, remove } = workshop()
let packed: Packed
const optional = [...prismPackages, ...domainsPackages]
/** With all that is optional, for the proof alone: it takes the most time. */
let consumer: Consumer
let bare: Consumer
beforeAll(() => {
  packed = packInto(place)
  const install = (name: string, extraPackages: readonly string[]) => {
    const folder = join(place, name)
    mkdirSync(folder)
    return installInto(folder, packed, extraPackages)
  }
  bare = install('bare', [])
  const all = [...optional, 'typescript', '@types/node', 'vitest']
  if (isProof) consumer = install('full', all)
}, 120_000)
afterAll(remove)

const key = 'petvet-test-key-packed'
const manifest = JSON.parse(textOf('package.json'))
const docs = textOf('docs/programs.md')

/** The programs of the page, by the name after their fence. */
const programs = new Map(
  [...docs.matchAll(/^```ts (\S+)\n(.*?)^```$/gms)].map(([, name = '', text = '']) => [name, text]),
)

const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runProgram(process.execPath, args, consumer.folder, env)

/** Writes a program of the page, pointed at a server of this test. */
const write = async (name: string) => {
  const keys = [{ plan: 'free' as const, key }]
  const { url, clockUrl } = await serveReference({ keys, clockPort: 0 })
  const program = (programs.get(name) ?? '')
    .replace('http://127.0.0.1:8080/v1', url)
    .replace('http://127.0.0.1:8081/clock', clockUrl ?? '')
  writeFileSync(join(consumer.folder, name), program)
}

test('it ships what is built and described, and no source, test or report', () => {
  const { files } = packed
  const strange = files.filter(
    (path) => !/^(bin\/|dist\/|package\.json$|LICENSE$|README\.md$|CHANGELOG\.md$)/.test(path),
  )
  expect(strange).toEqual([])
  expect(files.filter((path) => /\.test\.|(?<!\.d)\.ts$/.test(path))).toEqual([])
  expect(files).toContain('dist/spec/openapi.yaml')
  for (const path of ['README.md', 'CHANGELOG.md', 'LICENSE']) expect(files).toContain(path)
  expect(existsSync(join(root, 'dist')), 'what was built is taken away again').toBe(false)
})

test('it is as small as docs/releasing.md states', () => {
  const { packages, bytes } = installedWith()
  expect(packed.bytes / 1e3).toBeLessThan(maxStated('tarball'))
  expect(packed.files.length).toBeLessThan(maxStated('files in it'))
  expect(packed.unpackedBytes / 1e6).toBeLessThan(maxStated('unpacked'))
  const whole = bytes + packed.unpackedBytes
  expect(whole / 1e6).toBeLessThan(maxStated('installed, with all dependencies'))
  expect(packages + 1).toBeLessThan(maxStated('packages installed'))
})

test('npm would publish it as the workflow says', async () => {
  const release = textOf('.github/workflows/release.yml')
  const [step = ''] = /npm publish .+/.exec(release) ?? []
  const env = { npm_config_dry_run: 'true', npm_config_offline: 'true' }
  const ended = await runShell(step, dirname(bare.folder), env, 'bash')
  expect(ended.stdout).toBe(`+ petvet@${version}\n`)
  expect(ended.code).toBe(0)
}, 30_000)

test('publint finds nothing wrong', async () => {
  const pkgDir = join(bare.folder, 'node_modules/petvet')
  const { messages, pkg } = await publint({ pkgDir, pack: false, strict: true })
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
})

test('a mistake in the options that a program does not catch is one line with a name', async () => {
  const program = "import { vet } from 'petvet'; vet({ target: 'nonsense', keys: [] })"
  const args = ['--input-type=module', '--eval', program]
  const { code, stderr } = await runProgram(process.execPath, args, bare.folder, {})
  const said = stderr.split('\n').filter((line) => line.includes('invalid base URL'))
  const says = 'invalid base URL; expected for example http://127.0.0.1:8080/v1'
  expect([code, said]).toEqual([1, [`[UsageError: ${says}]`]])
  expect(stderr).not.toMatch(/^ +at |.{100}/m)
})

/** Mutants of domains need packages of their own; `npm run prove` installs, and proves others. */
const bareCommands = [...well, ['completion', []] as const].filter(
  ([command]) => !/^(?:domains|mutants)\b/.test(command),
)

test.for(isProof ? bareCommands : bareCommands.slice(0, 1))(
  'with its dependencies alone petvet %s %j ends well',
  { timeout: 60_000 },
  async ([command, args]) => {
    const ended = await bare.start([command, ...args], furnished()).ended
    expect(ended.stderr).not.toMatch(/^ +at /m)
    expect(ended.stdout + ended.stderr).not.toBe('')
    expect(ended.code).toBe(0)
  },
)

test.runIf(isProof)('with its dependencies alone petvet serve runs until a signal', async () => {
  const server = bare.start(['serve', '--port', '0'], furnished())
  expect(await server.printed(/\n/)).toMatch(/^petvet: api http/)
  server.interrupt('SIGINT')
  expect(await server.ended).toMatchObject({ code: 0, stderr: '' })
})

test.each([
  ['mock', prismPackages],
  ['domains plan', domainsPackages],
  ['mutants --suite domains', domainsPackages],
])(
  'petvet %s names the packages that it needs',
  async (words, packages) => {
    const flags = words === 'domains plan' ? ['--domains', 'none', '--platform-host', 'a.b'] : []
    const ended = bare.start([...words.split(' '), ...flags], bare.folder).ended
    const { code, stdout, stderr } = await ended
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(` needs ${packages.join(', ')}: npm install --save-dev `)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  },
  30_000,
)

test('an optional package is named with the version of the checkout', () => {
  const { devDependencies, peerDependencies, peerDependenciesMeta } = manifest
  for (const name of optional) {
    expect(peerDependencies[name].replace('^', '')).toBe(devDependencies[name])
    expect(peerDependenciesMeta[name]).toEqual({ optional: true })
  }
})

test.runIf(isProof).each([
  ['node16', 'node16', 'true'],
  ['nodenext', 'nodenext', 'false'],
  ['esnext', 'bundler', 'true'],
] as const)(
  'the programs of the page compile: --module %s, resolved as %s, --skipLibCheck %s',
  async (module, resolved, skipped) => {
    const files = [...programs.keys()]
    for (const name of files) writeFileSync(join(consumer.folder, name), programs.get(name) ?? '')
    const how = ['--module', module, '--moduleResolution', resolved, '--target', 'es2024']
    const flags = ['--noEmit', '--strict', '--skipLibCheck', skipped, ...how]
    const compiler = 'node_modules/typescript/bin/tsc'
    const ended = await run([compiler, ...flags, ...files])
    expect(ended).toEqual({ code: 0, stdout: '', stderr: '' })
  },
  60_000,
)

test.runIf(isProof)(
  'a program vets a server',
  async () => {
    await write('vet.ts')
    const ended = await run(['vet.ts'], { FREE_KEY: key })
    expect(ended.stdout).toMatch(/^conformant: \d+ of \d+ musts decided with \d+ requests\n$/)
    expect(ended).toMatchObject({ code: 0, stderr: '' })
  },
  60_000,
)
