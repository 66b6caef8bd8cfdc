// Runs the command on a target as a user does, and keeps its output and files.
import { join } from 'node:path'
import { type CheckFlags, readSettings } from '../../cli/flags.ts'
import { select } from '../../config/run-settings.ts'
import { readReach } from '../../config/target-connection.ts'
import type { RunFile } from '../../engine/check/run-file.ts'
import { runSuites } from '../../engine/run/run.ts'
import { catalogue } from '../../suites/index.ts'
import { allText, type Ended, petvet, readRunFile } from '../e2e/petvet.ts'
import { serveReference } from '../serve-reference.ts'
import { silent, testKey, testOptions } from '../vet-reference.ts'

export interface Vetted extends Ended {
  /** The folder of the run. */
  readonly out: string
  readonly run: () => RunFile
  /** Its files and its output. */
  readonly all: string
}

/** A few checks, enough to show that a run took place. */
const few = ['list-limit-*', 'auth-basic-list-401'].flatMap((glob) => ['--only', glob])

let runs = 0

export const vetThere = async (
  baseUrl: string,
  folder: string,
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Vetted> => {
  runs += 1
  const out = join(folder, `run-${runs}`)
  const args = ['check', baseUrl, '--key', 'free=$PET_KEY', '--allow', 'none', ...few, ...flags]
  // Two runs with one key fit into its minute.
  const brief = ['--max-requests', '60']
  const reports = ['--out', out, '--report', 'html,markdown,junit', '--timeout', '5']
  const how = { folder, env: { PET_KEY: testKey, ...env } }
  const ended = await petvet([...args, ...brief, ...reports], how)
  const all = `${allText(folder)}${ended.stdout}${ended.stderr}`
  return { ...ended, out, run: () => readRunFile(out), all }
}

const inside = select(catalogue, {
  only: few.filter((word) => word !== '--only'),
  skip: undefined,
})

/** @throws UsageError */
export const reachThere = (
  baseUrl: string,
  folder: string,
  flags: CheckFlags,
  environment: Readonly<Record<string, string>>,
) => {
  const settings = readSettings({ ...flags, config: false }, folder)
  return readReach(settings, environment, [new URL(baseUrl)])
}

/** Vets within this process, without the messages for a terminal. @throws UsageError */
export const vetInside = (
  baseUrl: string,
  folder: string,
  flags: CheckFlags,
  environment: Readonly<Record<string, string>>,
): Promise<RunFile> => {
  const { reach } = reachThere(baseUrl, folder, flags, environment)
  const options = testOptions(baseUrl, { allow: [], reach })
  return runSuites(inside, options, silent)
}

export const startServer = async () => {
  const reference = await serveReference({ keys: [{ plan: 'free', key: testKey }] })
  return { origin: new URL(reference.url).origin, received: reference.received ?? (() => 0) }
}
