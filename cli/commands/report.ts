// `petvet report`: a finished run in other formats.
// `petvet compare`: what changed from one run to another.
import { resolve } from 'node:path'
import { UsageError } from '../../config/values.ts'
import {
  compareMarkdown,
  compareRuns,
  compareText,
  compareVerdict,
} from '../../reports/comparison.ts'
import { type Format, formats, printRun } from '../../reports/formats.ts'
import { judgeKnown } from '../../reports/known-failures.ts'
import { runFileName, writeWhole } from '../../reports/run-folder.ts'
import { inertJson, visible } from '../../reports/visible.ts'
import * as cli from '../command.ts'
import { formatNames } from '../flags.ts'
import {
  exitCodeWithKnown,
  htmlAddress,
  readFormats,
  readKnownFile,
  terminalReport,
} from '../output/finish.ts'
import { claimFolder } from '../output/folder.ts'
import { say } from '../output/progress.ts'
import { newestRunIn, readOrRefuse, runFolder } from '../run/earlier-run.ts'

const allNames: readonly string[] = ['terminal', 'json', ...formatNames]

export const report = cli.command(
  {
    run: cli.argument('a run.json, its folder, or a folder of runs', cli.required),
    as: cli.text(`${allNames.join(', ')} [default: terminal]; several need --out`),
    out: cli.text('folder to write the formats to'),
    known: cli.text('file of known failures'),
    verbose: cli.toggle('print failures, warnings, observations and untested checks in full'),
  },
  ({ as = 'terminal', out, known: knownFile, verbose = false, ...given }) => {
    const names = readFormats([as], allNames)
    const newest = newestRunIn(given.run)
    if (newest) say(visible(newest.says))
    const { place } = newest ?? { place: given.run }
    if (names.length > 1 && out === undefined) {
      throw new UsageError('several formats need a folder: --out DIR')
    }
    const run = readOrRefuse(place)
    const known = judgeKnown(run, readKnownFile(knownFile, run))
    const target = out === undefined ? null : resolve(out)
    if (target !== null) claimFolder(target)
    const options = { verbose, folder: runFolder(place), formats: [] }
    const all: Readonly<Record<string, Format>> = {
      ...formats,
      json: { file: runFileName, write: () => printRun(run) },
      terminal: { file: 'terminal.txt', write: () => terminalReport(run, known, options) },
    }
    const chosen = Object.entries(all).filter(([name]) => names.includes(name))
    for (const [, { file, write }] of chosen) {
      const written = write({ run, known })
      if (target === null) process.stdout.write(written)
      else writeWhole(target, file, written)
    }
    if (target !== null && names.includes('html')) {
      say(visible(htmlAddress(target)))
    }
    // Printed, it is the end of the run again; another format is only written.
    return names.includes('terminal') ? exitCodeWithKnown(run, known, false) : 0
  },
)

const writers = {
  text: compareText,
  json: inertJson,
  markdown: compareMarkdown,
} as const

export const compare = cli.command(
  {
    old: cli.argument('a run.json, or the folder it is in', cli.required),
    new: cli.argument('the later run', cli.required),
    as: {
      choices: ['text', 'json', 'markdown'],
      requiresArg: true,
      describe: 'format, on standard output [text]',
    },
    json: cli.toggle('the same as --as json', { conflicts: 'as' }),
    strict: cli.toggle('a new warning, and a should that is no longer tested, is worse as well'),
    quiet: cli.toggle('print only a verdict line, on standard error'),
  },
  (given) => {
    const [old, now] = [readOrRefuse(given.old), readOrRefuse(given.new)]
    if (!now.checks.some(({ id }) => old.checks.some((each) => each.id === id))) {
      throw new UsageError('these runs have no check in common')
    }
    const compared = compareRuns(old, now, given.strict)
    const format = given.json ? 'json' : (given.as ?? 'text')
    if (given.quiet) say(compareVerdict(compared))
    else process.stdout.write(writers[format](compared))
    return compared.worse ? 1 : 0
  },
)
