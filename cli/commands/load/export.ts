// `petvet load --to k6`: writes the scenarios as a script for k6, and sends nothing.
import { resolve } from 'node:path'
import { k6Export } from '../../../load/k6/export.ts'
import { isForK6, type K6Header } from '../../../load/k6/plan.ts'
import { writeWhole } from '../../../reports/run-folder.ts'
import type { Target } from '../../config/target.ts'
import { claimFolder } from '../../output/folder.ts'
import { UsageError } from '../../usage-error.ts'
import { type LoadFlags, readLoadSettings } from './settings.ts'

export const exportLoad = (flags: LoadFlags, to: string): number => {
  if (to !== 'k6') throw new UsageError(`--to takes k6, not "${to}"`)
  const settings = readLoadSettings(flags, process.env, process.cwd())
  const { target, scenarios, load, thresholds } = settings
  if (!target) throw new UsageError('--to needs a base URL: petvet load BASE-URL --to k6 ...')
  if (flags.out === undefined) throw new UsageError('--to needs a folder: --out DIR')
  const chosen = scenarios.filter((each) => each.k6 || flags.scenario !== undefined)
  const request = {
    ...{ target, headers: headersOf(target), scenarios: chosen, settings: load },
    thresholds: thresholds ?? [],
  }
  const { files, missing } = k6Export(request)
  if (files.length === 0) throw new UsageError(`no scenario for k6: ${missing[0]?.why ?? 'none'}`)
  const folder = resolve(flags.out)
  claimFolder(folder)
  for (const { file, text } of files) print(writeWhole(folder, file, text))
  for (const { scenario, why } of missing) print(`${scenario.id} was left out: ${why}`)
  for (const one of request.thresholds.filter((each) => !isForK6(each))) {
    const { scenario, metric, text } = one
    print(`the threshold ${scenario} ${metric} ${text} is checked by --from k6, not by k6`)
  }
  const { ca, identity, insecure } = target.reach
  if (ca !== null || identity !== null || insecure) {
    print('the options about certificates were left out: k6 has its own')
  }
  return 0
}

/** A value from the environment is read from there again. */
const headersOf = ({ headers, secrets }: Target): K6Header[] =>
  headers.map(([name, value]) => {
    const secret = secrets.find(({ text }) => text === value)
    return { name, value: secret ? '' : value, variable: secret?.name ?? null }
  })

const print = (line: unknown) => process.stderr.write(`petvet: ${line}\n`)
