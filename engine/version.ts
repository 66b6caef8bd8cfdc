// The version of petvet, read from its package.json, wherever this file lies in the package.
import { existsSync, readFileSync } from 'node:fs'

const manifest = (from: URL): URL => {
  const here = new URL('package.json', from)
  // A compiled file lies one folder deeper than its source.
  return existsSync(here) ? here : manifest(new URL('../', from))
}

export const version: string = JSON.parse(
  readFileSync(manifest(new URL('./', import.meta.url)), 'utf8'),
).version

/** The version of the interface that is judged (Versioning 1). */
export const interfaceVersion = '1.0.0'
