// `petvet judge`: judges recorded traffic: HAR files, or what petvet recorded. It sends nothing.
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { commandGiven, splitKey } from '../../config/given-keys.ts'
import { readJudgeOptions } from '../../config/run-settings.ts'
import { refuse, UsageError } from '../../config/values.ts'
import { exchangesName } from '../../reports/run-folder.ts'
import { filesOf } from '../../traffic/files.ts'
import { prepareJudge } from '../../traffic/judge.ts'
import * as cli from '../command.ts'
import { outputFlags, runFlags, targetFlags } from '../flags.ts'
import { readOutput } from '../output/finish.ts'
import { createProgress } from '../output/progress.ts'
import { recorded, runInFolder } from '../run/recorded.ts'

const judgeFlags = {
  files: cli.argument(
    'HAR files, exchanges.ndjson or folders of runs, gzip or not [default: standard input]',
    { array: true },
  ),
  ...cli.grouped('Traffic:', {
    base: cli.text('base URL; requests to other addresses are left out [default: the one in /v1]'),
    key: targetFlags.key,
    alone: cli.toggle('the files have all calls of their keys: no other client used them'),
  }),
  ...cli.grouped('What to judge:', { only: runFlags.only, skip: runFlags.skip }),
  ...outputFlags,
} as const

/** @throws UsageError where a file is missing, or nothing was given */
const placesIn = (given: readonly string[] = []): readonly string[] => {
  const isFolder = (file: string) => existsSync(file) && statSync(file).isDirectory()
  const files = given.map((file) => (isFolder(file) ? join(file, exchangesName) : file))
  const missing = files.find((file) => file !== '-' && !existsSync(file))
  if (missing !== undefined) throw new UsageError(`${missing}: no such file`)
  if (files.length > 0) return files
  if (process.stdin.isTTY) throw new UsageError('no file: give a HAR file or the folder of a run')
  return ['-']
}

export const judge = cli.command(judgeFlags, async (flags) => {
  const output = readOutput(flags)
  const keys = flags.key?.map((each) => splitKey(each, '--key'))
  const { checks, options } = readJudgeOptions({ ...flags, keys })
  // By itself V8 lets garbage grow to several times of what is kept: a third less memory.
  setFlagsFromString('--heap-growing-percent=40')
  const progress = createProgress(output)
  const onProgress = (text: string) => progress.event({ kind: 'load', text, leftMs: 0 })
  const given = { ...options, command: commandGiven('judge', flags, null) }
  const source = filesOf(placesIn(flags.files))
  const judgeAll = await prepareJudge(checks, source, given, onProgress).catch(refuse)
  progress.clear()
  return runInFolder(output, (signal) => recorded(output, signal, judgeAll))
})
