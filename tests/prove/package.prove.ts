// The tarball as npm installs it from the registry, on each Node that it is for; an older Node says
// so in one line.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packInto, workshop } from '../packaging/consumer.ts'
import { bytesIn, maxStated } from '../packaging/size.ts'

const minute = 60_000
const { folder, remove } = workshop()
afterAll(remove)

const project = (name: string, ...packages: string[]): string => {
  const place = join(folder, name)
  mkdirSync(place)
  writeFileSync(join(place, 'package.json'), '{ "type": "module", "private": true }')
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel', 'error']
  execFileSync('npm', ['install', ...flags, ...packages], { cwd: place })
  return place
}

let consumer: string
beforeAll(() => {
  consumer = project('consumer', packInto(folder).tarball)
}, 5 * minute)

/** Of a package that holds the program alone. */
const nodeOf = (version: string): string => {
  const name = `node-${process.platform}-${process.arch}`
  return join(project(`node-${version}`, `${name}@${version}`), 'node_modules', name, 'bin/node')
}

const command = 'node_modules/petvet/bin/petvet.js'
const program = "import { vet } from 'petvet'; console.log(typeof vet)"

const run = (node: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(node, args, { cwd: consumer, encoding: 'utf8' })
  return { status, stdout: stdout.trim(), stderr: stderr.trim() }
}

test('it brings few packages and megabytes', () => {
  const { stdout } = spawnSync('npm', ['ls', '--all', '--parseable'], {
    cwd: consumer,
    encoding: 'utf8',
  })
  const packages = stdout.trim().split('\n').slice(1)
  expect(new Set(packages).size).toBeLessThan(maxStated('packages installed'))
  const megabytes = bytesIn(join(consumer, 'node_modules')) / 1e6
  expect(megabytes).toBeLessThan(maxStated('installed, with all dependencies'))
  console.log(`${packages.length} packages, ${megabytes.toFixed(1)} MB`)
})

describe.each(['22.19.0', '22', '24', '26'])('on Node %s', (version) => {
  let node: string
  beforeAll(() => {
    node = nodeOf(version)
  }, 5 * minute)

  test('it vets the built-in reference, and is imported', { timeout: 5 * minute }, () => {
    const flags = ['--quiet', '--report', 'html,junit', '--out', `run-${version}`]
    const { status, stderr } = run(node, command, 'check', ...flags)
    expect([status, stderr]).toEqual([0, expect.stringMatching(/^petvet: conformant[^\n]*$/)])
    expect(run(node, '--input-type=module', '-e', program).stdout).toBe('function')
  })

  test('the workers of mutants and a load run', { timeout: 5 * minute }, () => {
    const only = ['--only', 'error-code-number']
    expect(run(node, command, 'mutants', ...only).stdout).toMatch(/^killed +error-code-number/)
    const load = ['--scenario', 'fleet', '--quiet', '--out', `load-${version}`]
    expect(run(node, command, 'load', ...load).status).toBe(0)
  })
})

describe.each(['20.20.2', '22.18.0'])('on Node %s', (version) => {
  const says = `petvet needs Node 22.19 or newer and this is ${version}: `
  test('the command and an import say which one it needs', { timeout: 5 * minute }, () => {
    const node = nodeOf(version)
    const { status, stdout, stderr } = run(node, command, 'check')
    expect([status, stdout, stderr.split('\n').length]).toEqual([2, '', 1])
    expect(stderr).toContain(says)
    const imported = run(node, '--input-type=module', '-e', program)
    expect(imported.status).not.toBe(0)
    expect(imported.stderr).toContain(says)
  })
})
