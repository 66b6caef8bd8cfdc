// A resumed run: its options are read from its journal, its keys are given again; options that do
// not match are refused before anything is sent.

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { UsageError } from '../../config/values.ts'
import { sendsRequests } from '../../engine/check/declare.ts'
import type { RunFile } from '../../engine/check/run-file.ts'
import { decideVerdict } from '../../engine/check/verdict.ts'
import type { Head, Start } from '../../engine/run/journal.ts'
import { withoutResult } from '../../engine/run/results.ts'
import { makeStart } from '../../engine/run/resume.ts'
import { runFileName } from '../../reports/run-folder.ts'
import { type CheckFlags, flagsAgain, runFlags } from '../flags.ts'
import { readOrRefuse, readPastRun } from './named-run.ts'
import { readCheckSettings } from './recorded.ts'

/** @returns also the run file, if nothing is left to do. @throws UsageError of one line */
export const readResumed = (flags: CheckFlags, place: string) => {
  const folder = resolve(place)
  const past = readPastRun(folder)
  const { head } = past
  // A journal may have been edited.
  const seed = runFlags.seed.read('--seed', `${head.seed}`)
  // Without a configuration what it gave is that of the run.
  const own: CheckFlags = {
    ...{ 'base-url': head.baseUrl, seed, strict: head.strict },
    allow: [head.allow.join() || 'none'],
    ...(head.clockUrl && { clock: head.clockUrl }),
    ...(head.descriptionUrl && { description: head.descriptionUrl }),
    ...(head.categories.length > 0 && { category: [...head.categories] }),
  }
  const given = { ...own, ...flagsAgain(head.command, flags), resume: place, out: folder }
  const read = readCheckSettings(given, process.env, process.cwd())
  const target = { ...read.target, shared: head.shared }
  refuseOther({ ...target, seed: read.run.seed }, head)
  const ids = new Set(head.checks)
  const checks = read.checks.filter(({ id }) => ids.has(id))
  const run = { ...read.run, ...(head.command && { command: head.command }) }
  const settings = { ...read, run, checks, target }
  const isOver = !withoutResult(checks, past.results).some(sendsRequests)
  return { settings, past, over: isOver ? finishedIn(folder, settings.strict) : null }
}

/** What identifies a run, and the flag that gives it. */
const identity: Readonly<Record<keyof Start, string>> = {
  baseUrl: 'base URL',
  clockUrl: '--clock',
  descriptionUrl: '--description',
  allow: '--allow',
  categories: '--category',
  seed: '--seed',
  keys: 'key, plan, quota or use of a key',
  headers: 'further headers',
}

/** @throws UsageError that names the option which differs */
const refuseOther = (options: Parameters<typeof makeStart>[0], head: Head): void => {
  const start = makeStart(options, head.salt)
  const names = Object.keys(identity) as (keyof Start)[]
  const name = names.find((each) => !isDeepStrictEqual(start[each], head[each]))
  if (name === undefined) return
  const remedy = 'resume it with the same, or begin a new run'
  throw new UsageError(`the run was started with another ${identity[name]}: ${remedy}`)
}

/** The run file of a run that came to its end. */
const finishedIn = (folder: string, strict: boolean): RunFile | null => {
  if (!existsSync(join(folder, runFileName))) return null
  const run = readOrRefuse(folder)
  if (run.interrupted || run.impossible !== null) return null
  // `--strict` may be new.
  return run.verdict === 'undecided'
    ? run
    : { ...run, verdict: decideVerdict(run.checks, false, strict) }
}
