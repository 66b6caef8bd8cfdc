// Where the program is: the sources in a checkout, dist/ where the package is installed.

/**
 * Imports a module of the program, on a Node that is new enough.
 * @param {string} source in a checkout: `index.ts`
 * @param {string} built in `dist/`: `index.js`
 */
export const load = async (source, built) => {
  // An older Node lacks this module, and is to reach its own message.
  const { existsSync } = await import('node:fs')
  const sources = new URL(`../${source}`, import.meta.url)
  if (!existsSync(sources)) return import(new URL(`../dist/${built}`, import.meta.url).href)
  const fault = faultOfSources(sources)
  if (fault === null) return import(sources.href)
  const error = new Error(`${fault}: run \`npm pack\` in the checkout, and install what it writes`)
  error.stack = error.message
  throw error
}

/** Node takes types out of TypeScript, though not in `node_modules`, and 22 lacks a function. */
const faultOfSources = ({ pathname }) => {
  if (pathname.includes('/node_modules/')) return 'petvet is linked as sources, without its path'
  if ('escape' in RegExp) return null
  return `petvet needs Node 24 or newer in a checkout, and this is ${process.versions.node}`
}
