// The adapter for vitest of the installed package: loaded only where Node is new enough.
import { requireNode } from './node-version.js'

requireNode()
export const { vetted } = await import('../dist/vitest.js')
