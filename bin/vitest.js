// The adapter for vitest: loaded only where Node is new enough.
import { load } from './program.js'

export const { vetted } = await load('vitest.ts', 'vitest.js')
