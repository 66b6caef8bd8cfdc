// The tarball as npm installs it from the registry, on each Node and with each vitest that it is
// for; an older Node says so in one line.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mutants } from '../../reference/mutants.ts'
import { readRunFile, runProgram, runShell, writeCommands } from '../e2e/petvet.ts'
import { packInto, stepsOf, workshop } from '../packaging/consumer.ts'
import { freePort } from '../raw-server.ts'
import { serveReference } from '../serve-reference.ts'

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

let tarball: string
let consumer: string
beforeAll(() => {
  tarball = packInto(folder).tarball
  consumer = project('consumer', tarball)
}, 5 * minute)

/** The Node of a package that holds the program alone. */
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

/** What npm may need to reach its registry. */
const runner = Object.fromEntries(
  ['HTTPS_PROXY', 'NO_PROXY', 'NODE_EXTRA_CA_CERTS', 'NPM_CONFIG_REGISTRY'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  }),
)

/** npm as in the path of this process, which installs the tarball as that version of petvet. */
const npmOf = (place: string): string => {
  const replaced = `case "$word" in petvet@*) word='${tarball}' ;; esac`
  const words = `for word do shift; ${replaced}; set -- "$@" "$word"; done`
  return `${words}\nPATH='${process.env.PATH}' exec npm --prefix '${place}/global' "$@"`
}

describe.each([
  ['github', '.github/workflows/petvet.yml', 'report.md'],
  ['gitlab', '.gitlab/petvet.gitlab-ci.yml', 'junit.xml'],
] as const)('the job that init writes for %s', (ci, path, report) => {
  test('is green at a target that starts after five seconds', { timeout: 5 * minute }, async () => {
    const keys = ['one', 'two'].map((name) => ({
      plan: 'free' as const,
      key: `petvet-${ci}-${name}`,
    }))
    const [port, clockPort] = [await freePort(), await freePort()]
    const [target, clock] = [`http://127.0.0.1:${port}/v1`, `http://127.0.0.1:${clockPort}/clock`]
    const place = join(folder, `job-${ci}`)
    mkdirSync(place)
    const plans = ['--plan', 'free', '--plan', 'free', '--clock', clock]
    const init = [join(consumer, command), 'init', target, ...plans, '--ci', ci]
    execFileSync(process.execPath, init, { cwd: place })
    writeCommands(place, {
      npm: npmOf(place),
      petvet: `exec '${process.execPath}' "$HOME/global/bin/petvet" "$@"`,
    })
    const secrets = { FREE_KEY: keys[0]?.key ?? '', FREE_KEY_2: keys[1]?.key ?? '' }
    let said = ''
    const serving: Promise<unknown>[] = []
    for (const { run, hasKeys } of stepsOf[ci](readFileSync(join(place, path), 'utf8'))) {
      if (run.includes('petvet check')) {
        serving.push(sleep(5_000).then(() => serveReference({ keys, port, clockPort })))
      }
      const script = `set -eo pipefail\n${run}`
      const { code, stderr } = await runShell(
        script,
        place,
        { ...runner, ...(hasKeys && secrets) },
        'bash',
      )
      said += stderr
      expect([code, said]).toEqual([0, said])
    }
    await Promise.all(serving)
    expect(said).toMatch(/waiting/)
    expect(readRunFile(join(place, 'petvet-run')).verdict).toBe('conformant')
    expect(existsSync(join(place, 'petvet-run', report))).toBe(true)
  })
})

// The first has all that the adapter uses.
describe.each(['3.2.0', '3', '4', '5'])('with vitest %s', (version) => {
  test('a check is a test that fails, is skipped or passes', { timeout: 5 * minute }, async () => {
    const key = 'petvet-test-key-vitest'
    const variant = mutants.find(({ id }) => id === 'list-limit-ignored') ?? {}
    const keys = [{ plan: 'free' as const, key }]
    const { url, clockUrl } = await serveReference({ keys, variant, clockPort: 0 })
    const place = project(`vitest-${version}`, tarball, `vitest@${version}`)
    const options = `target: '${url}', clock: '${clockUrl}', keys: [{ plan: 'free', key: '$KEY' }]`
    const lines = [
      `import { vetted } from 'petvet/vitest'`,
      `vetted({ ${options}, only: ['list-limit-*', 'ban-*'], allow: ['write'] })`,
    ]
    writeFileSync(join(place, 'own.test.ts'), lines.join('\n'))
    const flags = ['run', '--reporter', 'json', '--outputFile', 'results.json']
    const program = join(place, 'node_modules/vitest/vitest.mjs')
    const { code } = await runProgram(process.execPath, [program, ...flags], place, { KEY: key })
    const text = readFileSync(join(place, 'results.json'), 'utf8')
    const { assertionResults } = JSON.parse(text).testResults[0]
    const statuses: string[] = assertionResults.map(({ status }: { status: string }) => status)
    expect([code, ...new Set(statuses)].toSorted()).toEqual([1, 'failed', 'passed', 'skipped'])
    expect(text).toMatch(/"Error: list\.limit[\w.-]*: .+ \(.+, must\)/)
  })
})
