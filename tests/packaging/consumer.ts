// A project that has installed the tarball: what it ships, beside the dependencies it declares.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from '../layout/sources.ts'

export interface Packed {
  readonly files: readonly string[]
  readonly bytes: number
  readonly unpackedBytes: number
}

export interface Consumer {
  readonly folder: string
  readonly packed: Packed
  readonly remove: () => void
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** What a project of its own brings, besides what comes with the tarball. */
const own = ['typescript', '@types/node', 'vitest']

export const installTarball = (): Consumer => {
  const folder = mkdtempSync(join(tmpdir(), 'petvet-consumer-'))
  const told = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [packed] = Object.values<PackTold>(JSON.parse(told))
  if (!packed) throw new Error(`npm pack told nothing: ${told}`)
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, 'petvet'), { recursive: true })
  const unpack = ['-xzf', join(folder, packed.filename), '-C', join(modules, 'petvet')]
  execFileSync('tar', [...unpack, '--strip-components=1'])
  // Only what the manifest declares is there: a dependency it forgot is missed.
  for (const name of [...Object.keys(manifest.dependencies), ...own]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }')
  return {
    folder,
    packed: {
      files: packed.files.map(({ path }) => path),
      bytes: packed.size,
      unpackedBytes: packed.unpackedSize,
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

interface PackTold {
  readonly filename: string
  readonly size: number
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string }[]
}
