// A resumed run: its options are read from its journal, its keys are given again; options that do
// not match are refused before anything is sent.

import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Target } from '../../config/target.ts'
import { UsageError } from '../../config/values.ts'
import { sendsRequests } from '../../engine/check/declare.ts'
import type { RunFile } from '../../engine/check/run-file.ts'
import type { Head } from '../../engine/run/journal.ts'
import { computeDigest } from '../../engine/run/resume.ts'
import { labelKeys } from '../../engine/run/run-options.ts'
import { withoutResult } from '../../engine/run/run-state.ts'
import { runFileName } from '../../reports/run-folder.ts'
import { flagsIn } from '../command.ts'
import { type CheckFlags, reachFlags, runFlags, suiteFlags } from '../flags.ts'
import { claimAgain, lockFolder } from '../output/folder.ts'
import { readCheckSettings } from './check-settings.ts'
import { readOrRefuse, readPastRun } from './named-run.ts'

/**
 * @returns also the run file, if nothing is left to do; of a finished run how many checks are left
 *   for lack of budget or time; and what releases the lock of its folder
 * @throws UsageError of one line
 */
export const openResumed = (flags: CheckFlags, place: string) => {
  refuseFlags(flags)
  const folder = resolve(place)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`${place}: no such folder`)
  }
  claimAgain(folder)
  const release = lockFolder(folder)
  try {
    const past = readPastRun(folder)
    const { head } = past
    const given = { ...flagsOf(flags, head), resume: place, out: folder }
    const read = readCheckSettings(given, process.env, process.cwd())
    const target = { ...read.target, shared: head.shared }
    refuseOther(target, read.run.seed, head)
    const ids = new Set(head.checks)
    const checks = read.checks.filter(({ id }) => ids.has(id))
    const run = { ...read.run, ...(head.command && { command: head.command }) }
    const settings = { ...read, run, checks, target }
    const finished = finishedIn(folder)
    const left = finished?.checks.filter(({ because }) => because === 'budget').length ?? 0
    const isDecided = !withoutResult(checks, past.results).some(sendsRequests)
    const isOver = left === 0 ? isDecided : !raises(flags)
    return { settings, past, over: isOver ? finished : null, left, release }
  } catch (error) {
    release()
    throw error
  }
}

/** The checks are those of the run, and so is the folder. */
const refuseFlags = (flags: CheckFlags): void => {
  for (const name of ['only', 'skip', 'out'] as const) {
    if (flags[name] === undefined) continue
    throw new UsageError(`--resume runs the checks that are left: remove --${name}`)
  }
}

const differs = (how: string): UsageError =>
  new UsageError(`the run was started ${how}: resume it with the same, or begin a new run`)

const orNone = <T>(list: readonly T[]): T[] | undefined => (list.length > 0 ? [...list] : undefined)

/** As a flag would give it: a journal may have been edited. */
const numberOf = (name: keyof typeof runFlags, value: number): number =>
  runFlags[name].read(`--${name}`, `${value}`)

/** Of the command what the journal has nowhere else: how the target is reached, and how long. */
const kept = { ...reachFlags, wait: suiteFlags.wait, bail: suiteFlags.bail, walk: suiteFlags.walk }

/** A flag that is not given keeps its value; a given certificate replaces the earlier one. */
const flagsOf = (flags: CheckFlags, head: Head): CheckFlags => {
  const given = Object.entries(flags).filter(([, value]) => value !== undefined)
  const other = flags.cert && { 'cert-key': undefined, 'cert-passphrase': undefined }
  return {
    'base-url': head.baseUrl,
    allow: orNone(head.allow) ?? ['none'],
    clock: head.clockUrl ?? undefined,
    description: head.descriptionUrl ?? undefined,
    category: orNone(head.categories),
    seed: numberOf('seed', head.seed),
    'max-requests': numberOf('max-requests', head.maxRequests),
    timeout: numberOf('timeout', head.responseTimeoutMs / 1_000),
    strict: head.strict,
    ...flagsIn(head.command, kept),
    ...other,
    ...Object.fromEntries(given),
  }
}

const shown = (list: readonly string[]): string => list.join(', ') || 'none'

/** @throws UsageError that names the option which differs */
const refuseOther = (target: Target, seed: number, head: Head): void => {
  const keys = labelKeys(target.keys)
  const [labels, were] = [keys, head.keys].map((all) => shown(all.map(({ label }) => label)))
  const { baseUrl, clockUrl, descriptionUrl } = head
  const [allow, categories] = [shown(head.allow), shown(head.categories)]
  const compared = [
    [`at ${baseUrl}`, target.baseUrl, baseUrl],
    [`with --clock ${clockUrl ?? 'left out'}`, target.clockUrl, clockUrl],
    [`with --description ${descriptionUrl ?? 'left out'}`, target.descriptionUrl, descriptionUrl],
    [`with --allow ${allow}`, shown(target.allow), allow],
    [`with the categories ${categories}`, shown(target.categories.map(String)), categories],
    [`with --seed ${head.seed}`, seed, head.seed],
    [`with the keys ${were}, and not ${labels}`, labels, were],
    ['with other further headers', computeDigest(head.salt, target.headers), head.headers],
  ] as const
  const differing = compared.find(([, is, was]) => is !== was)
  if (differing) throw differs(differing[0])
  const other = keys.find(({ key, quota, use }, at) => {
    const was = head.keys[at]
    const isQuota = was?.quota.perMinute === quota.perMinute && was.quota.perDay === quota.perDay
    return !isQuota || was.use !== (use ?? null) || was.digest !== computeDigest(head.salt, key)
  })
  if (other) throw differs(`with another key, quota or use for ${other.label}`)
}

/** Whether checks may run that were left for lack of requests or time. */
const raises = (flags: CheckFlags): boolean =>
  flags.wait === true || flags['max-requests'] !== undefined || flags['max-time'] !== undefined

/** The run file of a run that came to its end. */
const finishedIn = (folder: string): RunFile | null => {
  if (!existsSync(join(folder, runFileName))) return null
  const run = readOrRefuse(folder)
  return run.interrupted || run.impossible !== null ? null : run
}
