// The limits as every answer shows them: what a key is announced, granted and refused over time.
import { refusals } from './limits/refusals.ts'
import { remaining } from './limits/remaining.ts'
import { resets } from './limits/resets.ts'
import { served } from './limits/served.ts'

export const limits = [...refusals, ...served, ...remaining, ...resets]
