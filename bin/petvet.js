#!/usr/bin/env node
// The command: starts the CLI from the sources in a checkout, from dist/ where it is installed.

import './require-node.js'

const start = async () => {
  const { existsSync } = await import('node:fs')
  const module = await import('node:module')
  module.enableCompileCache()
  const source = new URL('../cli/main.ts', import.meta.url)
  const built = new URL('../dist/main.js', import.meta.url)
  const { main } = await import((existsSync(source) ? source : built).href)
  return main(process.argv.slice(2))
}

start().then(
  (code) => {
    process.exitCode = code
  },
  (error) => {
    console.error(error)
    process.exitCode = 3
  },
)
