// The steady clock of this machine: when requests leave, and answers come.
import { uptime } from 'node:os'
import { createSteady } from './steady.ts'

/** Milliseconds; only their differences mean something. */
export const steadyMs: () => number = createSteady({
  monotonicMs: () => performance.now(),
  wallMs: Date.now,
  uptimeMs: () => uptime() * 1000,
})
