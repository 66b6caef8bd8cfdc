// `petvet compare`: what changed from one run to another.

import { UsageError } from '../../config/values.ts'
import {
  compareMarkdown,
  compareRuns,
  compareText,
  compareVerdict,
} from '../../reports/comparison.ts'
import { inertJson } from '../../reports/visible.ts'
import { argument, command, required, toggle } from '../command.ts'
import { say } from '../output/progress.ts'
import { readOrRefuse } from '../run/earlier-run.ts'

const writers = {
  text: compareText,
  json: inertJson,
  markdown: compareMarkdown,
} as const

export const compare = command(
  {
    old: argument('a run.json, or the folder it is in', required),
    new: argument('the later run', required),
    as: {
      choices: ['text', 'json', 'markdown'],
      requiresArg: true,
      describe: 'format, on standard output [text]',
    },
    json: toggle('the same as --as json', { conflicts: 'as' }),
    strict: toggle('a new warning, and a should that is no longer tested, is worse as well'),
    quiet: toggle('print only a verdict line, on standard error'),
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
