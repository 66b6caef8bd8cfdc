// A run as a command names it: a finished one by its run file, its folder, or a folder of several
// runs; an interrupted one by its folder. A resumed run: its options are read from its journal, its
// keys are given again; options that do not match are refused before anything is sent.

import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Target } from '../../config/target.ts'
import { orRefuse, UsageError } from '../../config/values.ts'
import { sendsRequests } from '../../engine/check/declare.ts'
import type { RunFile } from '../../engine/check/run-file.ts'
import type { Head, Past } from '../../engine/run/journal.ts'
import { computeDigest } from '../../engine/run/resume.ts'
import { labelKeys } from '../../engine/run/run-options.ts'
import { count } from '../../history/quote.ts'
import { readJournal, readRun } from '../../reports/read-run.ts'
import { resumeCommand } from '../../reports/reproduce.ts'
import { journalName, runFileName } from '../../reports/run-folder.ts'
import { flagsIn } from '../command.ts'
import { type CheckFlags, reachFlags, runFlags, suiteFlags } from '../flags.ts'
import { beingWritten, claimAgain, lockFolder } from '../output/folder.ts'
import { readCheckSettings, type TargetSettings } from './check-settings.ts'

/** @throws UsageError of one line where there is no run */
export const readOrRefuse = (place: string): RunFile =>
  orRefuse(
    () => readRun(place),
    ({ code, message }) =>
      code === 'ENOENT' ? (withoutRunFile(place) ?? `${place}: there is no run`) : message,
  )

/** @throws UsageError of one line where there is nothing to resume */
const readPastRun = (folder: string): Past => {
  if (!existsSync(join(folder, journalName))) {
    const what = 'only a run of petvet check at a target of its own leaves one'
    throw new UsageError(`${folder} has no ${journalName} to resume from: ${what}`)
  }
  const past = orRefuse(
    () => readJournal(folder),
    ({ code, message }) => `${folder}: its journal cannot be resumed from: ${code ?? message}`,
  )
  if (past) return past
  throw new UsageError(`${folder}: the run was interrupted before it started; begin a new one`)
}

/** The message for a folder whose run has no run file; undefined if it has no run. */
const withoutRunFile = (folder: string): string | undefined => {
  const written = beingWritten(folder)
  if (written !== undefined) return `${written}: it has a report when it ends`
  if (!existsSync(join(folder, journalName))) return undefined
  const { results, head, seq } = readPastRun(folder)
  const failed = results.filter(({ outcome }) => outcome === 'fail').length
  const tested = `${results.length} of ${head.checks.length} checks`
  const failures = failed === 0 ? '' : `, ${failed} of them failed`
  const what = `the run was interrupted after ${tested}${failures}, ${seq} requests`
  return `${folder}: ${what}; resume with: ${resumeCommand(head.command, folder)}`
}

/** The folder with the other files of a run. */
export const runFolder = (run: string): string => {
  const place = resolve(run)
  return place.endsWith('.json') ? dirname(place) : place
}

/** The rest of a larger folder is not looked at. */
const maxFolders = 10_000

/**
 * @param isWanted whether the run in a folder will do
 * @returns the newest run of a folder of runs, and a line that says which of how many it is;
 *   undefined for the folder of a run, or one without runs
 */
export const newestRunIn = (place: string, isWanted = (_folder: string) => true) => {
  const runs = foldersIn(place)
    .map((folder) => ({ folder, endedMs: modifiedMs(join(folder, runFileName)) }))
    .filter(({ endedMs }) => endedMs > 0)
    .toSorted((a, b) => b.endedMs - a.endedMs || b.folder.localeCompare(a.folder))
  const newest = runs.find(({ folder }) => isWanted(folder))
  if (newest === undefined) return undefined
  const says = `${place} holds ${count(runs.length, 'run', 'runs')}; the newest is ${newest.folder}`
  return { place: newest.folder, says }
}

/** 0 where there is no such file. */
const modifiedMs = (path: string): number => {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat?.isFile() ? stat.mtimeMs : 0
}

const foldersIn = (place: string): string[] => {
  const isFolder = statSync(place, { throwIfNoEntry: false })?.isDirectory() ?? false
  if (!isFolder || modifiedMs(join(place, runFileName)) > 0) return []
  return foldersOf(place).flatMap((folder) => [folder, ...roundsIn(folder)])
}

const foldersOf = (place: string): string[] =>
  readdirSync(place, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .slice(0, maxFolders)
    .map(({ name }) => join(place, name))

/** `--watch` writes a folder of rounds. */
const roundsIn = (folder: string): string[] =>
  existsSync(join(folder, '1', runFileName)) ? foldersOf(folder) : []

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
    const isOver = finished && (left === 0 ? isDecided(settings, past) : !raises(flags))
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

const isDecided = ({ checks }: TargetSettings, past: Past): boolean => {
  const decided = new Set(past.results.map(({ id }) => id))
  return checks.filter(sendsRequests).every(({ id }) => decided.has(id))
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
