// What the package.json of petvet says, wherever this file lies in the package.

import { existsSync, readFileSync } from 'node:fs'

let manifest = new URL('../package.json', import.meta.url)
// A compiled file lies one folder deeper than its source.
while (!existsSync(manifest)) manifest = new URL('../package.json', manifest)

interface Manifest {
  readonly version: string
  /** The packages that only some commands need, each with its range. */
  readonly peerDependencies: Readonly<Record<string, string>>
}

export const { version, peerDependencies }: Manifest = JSON.parse(readFileSync(manifest, 'utf8'))

/** The version of the interface that is judged (Versioning 1). */
export const interfaceVersion = '1.0.0'
