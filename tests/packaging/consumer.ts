// Projects that have installed the tarball: what it ships, and the dependencies it declares.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseYaml } from '../../spec/yaml.ts'
import { start } from '../e2e/petvet.ts'
import { root, textOf } from '../layout/sources.ts'

export interface Packed {
  readonly tarball: string
  readonly files: readonly string[]
  readonly bytes: number
  readonly unpackedBytes: number
}

interface PackResult {
  readonly filename: string
  readonly size: number
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string }[]
}

const manifest = JSON.parse(textOf('package.json'))

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
) => {
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
  const bin = join(modules, '.bin', command)
  symlinkSync(join('../petvet', path), bin)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }')
  return {
    folder,
    start: (args: readonly string[], cwd: string) => start(args, { folder: cwd, bin }),
  }
}

export type Consumer = ReturnType<typeof installInto>

interface Workflow {
  readonly jobs: { readonly vet: { readonly steps: readonly { run?: string; env?: unknown }[] } }
}

interface Pipeline {
  readonly petvet: { readonly script: readonly string[] }
}

/** What a job runs, and whether with its secrets: GitLab gives them to each line. */
export const stepsOf = {
  github: (text: string) =>
    (parseYaml(text) as unknown as Workflow).jobs.vet.steps.flatMap(({ run, env }) =>
      run === undefined ? [] : [{ run, hasKeys: env !== undefined }],
    ),
  gitlab: (text: string) =>
    (parseYaml(text) as unknown as Pipeline).petvet.script.map((run) => ({ run, hasKeys: true })),
}

/** What a runner puts in place of the inputs in some texts. */
export const fillInputs = (
  texts: Readonly<Record<string, string>>,
  given: Readonly<Record<string, string>>,
  inputs: Readonly<Record<string, { readonly default?: string }>>,
): Record<string, string> => {
  const filled = (text: string) =>
    text.replace(
      /\$(?:\{\{|\[\[) inputs\.(\w+) (?:\}\}|\]\])/,
      (_, input) => given[input] ?? inputs[input]?.default ?? '',
    )
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, filled(text)]))
}
