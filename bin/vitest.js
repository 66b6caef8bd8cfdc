// The adapter for vitest: loaded only where Node is new enough.
import { requireNode } from './node-version.js'
import { load } from './program.js'

requireNode()
export const { vetted } = await load('vitest.ts', 'vitest.js')
