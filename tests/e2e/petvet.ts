// Runs the command as a user does, in a folder of its own, and keeps its output. And programs,
// lines of a shell, and commands in its path that stand in for those of a system.

import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { vi } from 'vitest'
import { main } from '../../cli/main.ts'
import type { RunFile } from '../../engine/check/run-file.ts'
import { atTestEnd } from '../at-test-end.ts'

const ownBin = join(import.meta.dirname, '../../bin/petvet.js')

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Started {
  readonly pid: number | undefined
  readonly ended: Promise<Ended>
  readonly interrupt: (signal: NodeJS.Signals) => void
  readonly type: (text: string) => void
  /** Resolves with what was printed so far, once that matches. */
  readonly printed: (pattern: RegExp) => Promise<string>
  /** Resolves with what was printed on standard error, once that matches. */
  readonly printedError: (pattern: RegExp) => Promise<string>
}

interface How {
  /** The command, where it is not that of the checkout. */
  readonly bin?: string
  readonly folder: string
  readonly env?: Readonly<Record<string, string>>
  readonly nodeFlags?: readonly string[]
  /** Its standard input; null: open and empty; without it there is none. */
  readonly input?: string | null
}

export const start = (args: readonly string[], how: How): Started => {
  const { bin = ownBin, folder, env, nodeFlags, input } = how
  const child = spawn(process.execPath, [...(nodeFlags ?? []), bin, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, NO_COLOR: '1', ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  }) as ChildProcessByStdio<Writable | null, Readable, Readable>
  if (typeof input === 'string') child.stdin?.end(input)
  atTestEnd(() => {
    child.kill('SIGKILL')
  })
  let stdout = ''
  let stderr = ''
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
  const until = (stream: 'stdout' | 'stderr') => (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const text = stream === 'stdout' ? stdout : stderr
        if (pattern.test(text)) resolve(text)
      }
      child[stream].on('data', look)
      ended.then(() => reject(new Error(`ended without ${pattern}: ${stdout}${stderr}`)))
      look()
    })
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    stderr += chunk
  })
  const interrupt = (signal: NodeJS.Signals) => child.kill(signal)
  return {
    pid: child.pid,
    ended,
    printed: until('stdout'),
    printedError: until('stderr'),
    interrupt,
    type: (text) => child.stdin?.write(text),
  }
}

/** Starts `petvet serve` with a test clock. @returns its addresses, once it is ready */
export const startServe = async (folder: string, keys: readonly string[], ...more: string[]) => {
  const args = ['serve', '--port', '0', '--clock', '0', '--keys', keys.join(','), ...more]
  const server = start(args, { folder })
  const printed = await server.printed(new RegExp(`(?:petvet: key .+\\n){${keys.length}}`))
  const address = (name: string) => new RegExp(`petvet: ${name} (\\S+)`).exec(printed)?.[1] ?? ''
  return { ...server, url: address('api'), clock: address('clock') }
}

/** Runs the command as `start` does, in this process where it needs none of its own. */
export const petvet = (args: readonly string[], how: How): Promise<Ended> => {
  if (how.nodeFlags || how.input !== undefined) return start(args, how).ended
  const ended = previous.then(() => runHere(args, how))
  previous = ended.catch(() => {})
  return ended
}

/** The current folder, the environment and the standard streams are those of one run at a time. */
let previous: Promise<unknown> = Promise.resolve()

/** Keeps what this process prints, until it is released. */
export const captureOutput = () => {
  const printed = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      printed[name] += String(text)
      return true
    }),
  )
  const release = () => {
    for (const spy of spies) spy.mockRestore()
  }
  return { printed, release }
}

/** A run draws what it sends by its seed, which is the same each time. */
const withSeed = (args: readonly string[]): string[] => {
  const isRun = ['check', 'load'].includes(args[0] ?? '')
  const isGiven = ['--seed', '--resume', '--failed', '--help'].some((flag) => args.includes(flag))
  return isRun && !isGiven ? [...args, '--seed', '7'] : [...args]
}

const runHere = async (args: readonly string[], { folder, env }: How): Promise<Ended> => {
  const before = { folder: process.cwd(), env: process.env }
  const { printed, release } = captureOutput()
  // yargs prints the script of a completion so.
  const logged = vi.spyOn(console, 'log').mockImplementation((text) => {
    printed.stdout += `${text}\n`
  })
  process.env = { PATH: process.env.PATH, HOME: folder, NO_COLOR: '1', ...env }
  process.chdir(folder)
  try {
    return { code: await main(withSeed(args)), ...printed }
  } finally {
    process.chdir(before.folder)
    process.env = before.env
    for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error')
    logged.mockRestore()
    release()
  }
}

/** A folder with these files, by their paths, that is gone after the test. */
export const folderWith = (files: Readonly<Record<string, string | Uint8Array>>): string => {
  const folder = mkdtempSync(join(tmpdir(), 'petvet-'))
  atTestEnd(() => rmSync(folder, { recursive: true, force: true }))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}

export const emptyFolder = (): string => folderWith({})

/** A folder with the sample run under these names. */
export const folderWithRuns = (names: readonly string[], files: Record<string, string> = {}) => {
  const folder = folderWith(files)
  for (const name of names) cpSync(samples, join(folder, name), { recursive: true })
  return folder
}

const samples = join(import.meta.dirname, '../../reports/samples')

export const readRunFile = (folder: string): RunFile =>
  JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'))

/** The text of all files of a folder. */
export const allText = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n')

const loadHook = `
  import { registerHooks } from 'node:module'
  import { writeSync } from 'node:fs'
  registerHooks({ load: (url, context, next) => {
    writeSync(2, url + '\\n')
    return next(url, context)
  } })`

/** Flags of node with which a process prints each module that it loads, on standard error. */
export const printLoads = ['--import', `data:text/javascript,${encodeURIComponent(loadHook)}`]

/** A line that starts petvet in the place of a script, with its words. */
export const execPetvet = `exec '${process.execPath}' '${ownBin}' "$@"`

/** Commands in a folder by their names, each with the lines of its script. */
export const writeCommands = (folder: string, scripts: Readonly<Record<string, string>>): void => {
  for (const [name, lines] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 })
  }
}

/** Runs a program in a folder, whose commands come before those of the system. */
export const runProgram = (
  program: string,
  args: readonly string[],
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Ended & { readonly code: number }> => {
  const path = `${folder}:${process.env.PATH}`
  const options = {
    cwd: folder,
    env: { PATH: path, HOME: folder, NO_COLOR: '1', ...env },
    maxBuffer: 1e8,
  }
  return new Promise((resolve) => {
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr })
    })
    child.stdin?.end()
  })
}

/** Runs a script of a shell. */
export const runShell = (
  script: string,
  folder: string,
  env: Readonly<Record<string, string>> = {},
  shell: 'sh' | 'bash' = 'sh',
) => runProgram(shell, ['-c', script], folder, env)
