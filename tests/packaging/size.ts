// The sizes that docs/internals/releasing.md states, and what is installed with the package.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root, textOf } from '../layout/sources.ts'

const page = textOf('docs/internals/releasing.md')

/** The last column of a row of the page, in its own unit. */
export const maxStated = (row: string): number => {
  const line = page.split('\n').find((each) => each.startsWith(`| ${row} |`))
  return Number.parseFloat(line?.split('|')[3] ?? '')
}

interface LockedPackage {
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly optional?: boolean
  readonly peer?: boolean
}

const bytesIn = (folder: string, ...without: string[]): number =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !without.includes(name))
    .map((entry) => ({ entry, path: join(folder, entry.name) }))
    .reduce(
      (sum, { entry, path }) =>
        sum + (entry.isDirectory() ? bytesIn(path, ...without) : bytesOf(path)),
      0,
    )

const bytesOf = (path: string): number => statSync(path).size

/** The packages that are installed with petvet, itself left out. */
export const installedWith = (): { readonly packages: number; readonly bytes: number } => {
  const lock = JSON.parse(textOf('package-lock.json'))
  const folders = Object.entries<LockedPackage>(lock.packages)
    .filter(([path]) => path !== '')
    .filter(([, { dev, devOptional, optional, peer }]) => !(dev || devOptional || optional || peer))
    .map(([path]) => join(root, path))
  const bytes = folders.reduce((sum, folder) => sum + bytesIn(folder, 'node_modules'), 0)
  return { packages: folders.length, bytes }
}
