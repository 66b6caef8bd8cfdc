// The package as others install it: its files, its command, its programmatic face, its adapter.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Mutant } from '../../reference/mutant.ts'
import { mutants } from '../../reference/mutants.ts'
import { startReference } from '../../reference/start.ts'
import { root } from '../layout/sources.ts'
import { type Consumer, installTarball } from './consumer.ts'

let consumer: Consumer
beforeAll(() => {
  consumer = installTarball()
}, 60_000)
afterAll(() => consumer?.remove())

const key = 'petvet-test-key-packed'
const docs = readFileSync(join(root, 'docs/programs.md'), 'utf8')

/** The programs of the page, by the name that stands behind their fence. */
const programs = new Map(
  [...docs.matchAll(/^```ts (\S+)\n(.*?)^```$/gms)].map(([, name = '', text = '']) => [name, text]),
)

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  new Promise<Ended>((resolve) => {
    const inherited = { PATH: process.env.PATH, HOME: consumer.folder, NO_COLOR: '1' }
    const options = { cwd: consumer.folder, env: { ...inherited, ...env } }
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr })
    })
  })

const bin = 'node_modules/petvet/bin/petvet.js'

/** Writes a program of the page, pointed at a server of this test. */
const write = async (name: string, mutant?: Mutant) => {
  const { url, clockUrl, close } = await startReference({
    keys: [{ plan: 'free', key }],
    ...(mutant && { variant: mutant }),
    store: 'memory',
    port: 0,
    clockPort: 0,
    onFault: (fault) => {
      throw fault
    },
  })
  onTestFinished(close)
  const program = (programs.get(name) ?? '')
    .replace('http://127.0.0.1:8080/v1', url)
    .replace('http://127.0.0.1:8081/clock', clockUrl ?? '')
  writeFileSync(join(consumer.folder, name), program)
}

test('it ships what is built and described, and no source, test or report', () => {
  const { files, bytes, unpackedBytes } = consumer.packed
  const strange = files.filter(
    (path) => !/^(bin\/|dist\/|package\.json$|LICENSE$|README\.md$|CHANGELOG\.md$)/.test(path),
  )
  expect(strange).toEqual([])
  expect(files.filter((path) => /\.test\.|(?<!\.d)\.ts$/.test(path))).toEqual([])
  expect(files).toContain('dist/spec/openapi.yaml')
  expect(bytes).toBeLessThan(1_000_000)
  expect(unpackedBytes).toBeLessThan(4_000_000)
})

test('publint finds nothing wrong', async () => {
  const pkgDir = join(consumer.folder, 'node_modules/petvet')
  const { messages, pkg } = await publint({ pkgDir, pack: false, strict: true })
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
})

test('the command vets the built-in reference from anywhere', async () => {
  const told = ['--quiet', '--out', 'told', '--report', 'html']
  const { code, stderr } = await run([bin, 'check', '--no-mock', '--seed', '7', ...told])
  expect(stderr).toMatch(/^petvet: conformant/)
  expect(code).toBe(0)
  const page = readFileSync(join(consumer.folder, 'told/report.html'), 'utf8')
  expect(page).toContain('<h1>Conformant</h1>')
}, 60_000)

test('the programs of the page are sound for the compiler', async () => {
  const files = [...programs.keys()]
  for (const name of files) writeFileSync(join(consumer.folder, name), programs.get(name) ?? '')
  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024']
  const compiler = 'node_modules/typescript/bin/tsc'
  const ended = await run([compiler, ...flags, '--types', 'node', ...files])
  expect(ended).toEqual({ code: 0, stdout: '', stderr: '' })
}, 60_000)

test('a program vets a server', async () => {
  await write('vet.ts')
  const ended = await run(['vet.ts'], { FREE_KEY: key })
  expect(ended.stdout).toMatch(/^conformant: \d+ of \d+ musts decided with \d+ requests\n$/)
  expect(ended).toMatchObject({ code: 0, stderr: '' })
}, 60_000)

test('the adapter makes each check a test of the project', async () => {
  await write('petvet.test.ts')
  const ended = await run(['node_modules/vitest/vitest.mjs', 'run'], { FREE_KEY: key })
  expect(ended.stderr).toBe('')
  expect(ended.stdout).toMatch(/Tests {2}\d+ passed/)
  expect(ended.code).toBe(0)
}, 60_000)

test('and a breach fails the test of its check, with what to do', async () => {
  const mutant = mutants.find(({ id }) => id === 'list-limit-ignored')
  await write('petvet.test.ts', mutant)
  const ended = await run(['node_modules/vitest/vitest.mjs', 'run'], { FREE_KEY: key })
  expect(ended.stderr).toContain('list.limit.most')
  expect(ended.stderr).toContain('curl ')
  expect(ended.stderr).not.toContain(key)
  expect(ended.code).toBe(1)
}, 60_000)
