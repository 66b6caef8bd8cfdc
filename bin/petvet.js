#!/usr/bin/env node
// The command: starts the CLI, where Node is new enough.

import './require-node.js'
import { load } from './program.js'

const start = async () => {
  const module = await import('node:module')
  module.enableCompileCache()
  const { main } = await load('cli/main.ts', 'main.js')
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
