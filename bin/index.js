// The programmatic API of the installed package: loaded only where Node is new enough.
import { requireNode } from './node-version.js'

requireNode()
export const { UsageError, vet } = await import('../dist/index.js')
