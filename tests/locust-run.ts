// A real Locust on this machine: a master and workers, each a process, which send the plan of
// `petvet load --to locust` to a server, and what `--from` makes of their files.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { RunFile } from '../engine/check/run-file.ts'
import { readRun } from '../reports/read-run.ts'
import { atTestEnd } from './at-test-end.ts'
import { emptyFolder, petvet } from './e2e/petvet.ts'
import { freePort } from './raw-server.ts'

const places = [
  process.env.PETVET_LOCUST,
  join(import.meta.dirname, '../node_modules/.cache/locust/bin/locust'),
]

/** The command of Locust; without one its tests are skipped. */
export const locust = places.find((place) => place !== undefined && existsSync(place)) ?? null

if (locust === null) {
  console.warn(
    'The tests with Locust are skipped: it is not installed. With Python 3.10 or newer:\n' +
      '  python3 -m venv node_modules/.cache/locust\n' +
      '  node_modules/.cache/locust/bin/pip install -r load/locust/requirements.txt',
  )
}

const overallMs = 900_000
const workerCount = 4

interface Running {
  readonly folder: string
  readonly master: ChildProcess
  readonly workers: readonly ChildProcess[]
  /** Ends with all of them; with what they printed. */
  readonly ended: Promise<string>
}

/** Writes a plan, and starts a master and so many workers in its folder. */
export const startLocust = async (
  url: string,
  keys: readonly string[],
  flags: readonly string[],
  more: NodeJS.ProcessEnv = {},
): Promise<Running> => {
  const folder = emptyFolder()
  const names = keys.map((_, at) => `KEY_${at + 1}`)
  const env = Object.fromEntries(
    keys.map((key, at) => [names[at], key.slice(key.indexOf('=') + 1)]),
  )
  const given = keys.flatMap((key, at) => ['--key', `${key.split('=')[0]}=$${names[at]}`])
  const planned = ['load', url, '--no-config', ...given, '--to', 'locust', '--out', 'plan']
  const { code, stderr } = await petvet([...planned, ...flags], { folder, env })
  if (code !== 0) throw new Error(stderr)
  const plan = join(folder, 'plan')
  const port = `${await freePort()}`
  let printed = ''
  const run = (args: readonly string[], secrets: NodeJS.ProcessEnv = {}) => {
    // The address of the plan is used, whatever this one is.
    const child = spawn(locust ?? '', [...args, '--host', 'http://127.0.0.1:9'], {
      cwd: plan,
      env: { PATH: process.env.PATH, HOME: folder, ...secrets, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: overallMs,
    })
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        printed += chunk
      })
    }
    atTestEnd(() => {
      child.kill('SIGKILL')
    })
    return child
  }
  const own = ['--master-bind-host', '127.0.0.1', '--master-bind-port', port]
  const master = run(['--headless', '--master', ...own, '--expect-workers', `${workerCount}`])
  const workers = Array.from({ length: workerCount }, () =>
    run(['--worker', '--master-host', '127.0.0.1', '--master-port', port], env),
  )
  const all = [master, ...workers].map(
    (child) => new Promise((resolve) => child.once('close', resolve)),
  )
  return { folder, master, workers, ended: Promise.all(all).then(() => printed) }
}

/** The files of the workers so far. */
export const filesOf = ({ folder }: Pick<Running, 'folder'>): string[] =>
  readdirSync(join(folder, 'plan')).filter((name) => name.startsWith('samples-'))

interface Judged {
  readonly code: number | null
  readonly stdout: string
  readonly run: RunFile
}

export const judge = async ({ folder }: Pick<Running, 'folder'>): Promise<Judged> => {
  mkdirSync(folder, { recursive: true })
  const ended = await petvet(['load', '--from', 'plan', '--out', 'run'], { folder })
  if (ended.code === 2) throw new Error(ended.stderr)
  return { ...ended, run: readRun(join(folder, 'run')) }
}

/** Sends a plan with Locust, and judges what was sent. */
export const loadWithLocust = async (
  url: string,
  keys: readonly string[],
  flags: readonly string[],
  more: NodeJS.ProcessEnv = {},
): Promise<Judged & { readonly printed: string; readonly folder: string }> => {
  const running = await startLocust(url, keys, flags, more)
  const printed = await running.ended
  return { ...(await judge(running)), printed, folder: running.folder }
}
