// The programmatic API: loaded only where Node is new enough.
import { load } from './program.js'

export const { UsageError, judge, vet, writeReports } = await load('index.ts', 'index.js')
