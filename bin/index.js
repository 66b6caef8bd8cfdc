// The programmatic API: loaded only where Node is new enough.
import { requireNode } from './node-version.js'
import { load } from './program.js'

requireNode()
export const { UsageError, vet, writeReports } = await load('index.ts', 'index.js')
