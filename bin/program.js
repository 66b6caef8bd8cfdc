// Where the program is: the sources in a checkout, dist/ where the package is installed.
import { mistake } from './node-version.js'

/**
 * Imports a module of the program.
 * @param {string} source in a checkout: `index.ts`
 * @param {string} built in `dist/`: `index.js`
 * @throws an error that is one line, where this Node cannot run it
 */
export const load = async (source, built) => {
  if (mistake !== null) throw oneLine(mistake)
  // An older Node lacks this module, and is to reach its own message.
  const { existsSync } = await import('node:fs')
  const sources = new URL(`../${source}`, import.meta.url)
  if (!existsSync(sources)) return import(new URL(`../dist/${built}`, import.meta.url).href)
  // Node takes types out of TypeScript, though not in `node_modules`.
  if (!sources.pathname.includes('/node_modules/')) return import(sources.href)
  const linked = 'petvet is linked as sources, without its path'
  throw oneLine(`${linked}: run \`npm pack\` in the checkout, and install what it writes`)
}

const oneLine = (message) => {
  const error = new Error(message)
  error.stack = message
  return error
}
