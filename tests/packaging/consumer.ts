// Projects that have installed the tarball: what it ships, and the dependencies it declares.
import { type ChildProcess, execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from '../layout/sources.ts'

export interface Packed {
  readonly tarball: string
  readonly files: readonly string[]
  readonly bytes: number
  readonly unpackedBytes: number
}

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Consumer {
  readonly folder: string
  readonly run: (
    file: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
  ) => Promise<Ended>
  /** The command, as it is installed. */
  readonly petvet: (...args: readonly string[]) => Promise<Ended>
  /** The command, interrupted once it has printed a line. */
  readonly interrupted: (args: readonly string[]) => Promise<Ended>
}

interface PackResult {
  readonly filename: string
  readonly size: number
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string }[]
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** Packs the checkout into a folder, which may contain projects as well. */
export const packInto = (folder: string): Packed => {
  const text = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: root,
    encoding: 'utf8',
    stdio: 'pipe',
  })
  const [packed] = Object.values<PackResult>(JSON.parse(text))
  if (!packed) throw new Error(`npm pack printed nothing: ${text}`)
  return {
    tarball: join(folder, packed.filename),
    files: packed.files.map(({ path }) => path),
    bytes: packed.size,
    unpackedBytes: packed.unpackedSize,
  }
}

/** A folder for tarballs and projects; `remove` takes all of it away. */
export const workshop = () => {
  const folder = mkdtempSync(join(tmpdir(), 'petvet-consumer-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/**
 * An empty project that has installed a tarball.
 * @param extraPackages packages of its own
 */
export const installInto = (
  folder: string,
  { tarball }: Packed,
  extraPackages: readonly string[],
): Consumer => {
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, 'petvet'), { recursive: true })
  const unpack = ['-xzf', tarball, '-C', join(modules, 'petvet')]
  execFileSync('tar', [...unpack, '--strip-components=1'])
  // Only what the manifest declares is there: a dependency it forgot is missed.
  for (const name of [...Object.keys(manifest.dependencies), ...extraPackages]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  mkdirSync(join(modules, '.bin'))
  const [[command = '', path = ''] = []] = Object.entries<string>(manifest.bin)
  symlinkSync(join('../petvet', path), join(modules, '.bin', command))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }')
  return { folder, ...commandsIn(folder, join(modules, '.bin', command)) }
}

const maxMs = 60_000

const commandsIn = (folder: string, path: string): Omit<Consumer, 'folder'> => {
  const inherited = { PATH: process.env.PATH, HOME: folder, NO_COLOR: '1' }
  const start = (
    file: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    printed: (child: ChildProcess) => void,
  ): Promise<Ended> =>
    new Promise((resolve) => {
      const options = { cwd: folder, env: { ...inherited, ...env }, timeout: maxMs }
      const child = execFile(file, [...args], options, (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr })
      })
      child.stdout?.once('data', () => printed(child))
      child.stdin?.end()
    })
  return {
    run: (file, args, env) => start(file, args, env, () => {}),
    petvet: (...args) => start(process.execPath, [path, ...args], {}, () => {}),
    interrupted: (args) =>
      start(process.execPath, [path, ...args], {}, (child) => child.kill('SIGINT')),
  }
}
