// A run whose findings say what matters of their requests, and that has headlines.
import { runSuites } from '../engine/run/run.ts'
import { withCauses } from './diagnose.ts'
import { explain } from './findings.ts'

export const runDiagnosed: typeof runSuites = async (checks, options, ...others) =>
  withCauses(await runSuites(checks, { ...options, explain }, ...others))
