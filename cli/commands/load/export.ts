// `petvet load --to k6`: writes the scenarios as scripts for k6, and sends nothing.
import { resolve } from 'node:path'
import { labelKeys } from '../../../engine/session.ts'
import { type ExportHeader, exported, k6Scripts, type Script } from '../../../load/export-k6.ts'
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
  const names = exported.filter((name) => scenarios.some(({ id }) => id === name))
  if (names.length === 0) {
    const given = (flags.scenario ?? []).join(', ')
    throw new UsageError(`--to can write ${exported.join(', ')}, not ${given}`)
  }
  const request = {
    baseUrl: target.baseUrl,
    keys: labelKeys(target.keys),
    settings: load,
    thresholds: thresholds ?? [],
    headers: headersOf(target),
  }
  const scripts = k6Scripts(request, names)
  write(scripts, flags.out)
  printLeftOut(scripts, names, target)
  return 0
}

/** A value from the environment is read from there again. */
const headersOf = ({ headers, secrets }: Target): ExportHeader[] =>
  headers.map(([name, value]) => {
    const secret = secrets.find(({ text }) => text === value)
    return { name, value: secret ? '' : value, variable: secret?.name ?? null }
  })

const write = (scripts: readonly Script[], out: string | undefined): void => {
  const [first] = scripts
  if (!first) throw new UsageError('no key has enough quota for any of these scenarios')
  if (out === undefined) {
    if (scripts.length > 1) throw new UsageError('several scripts need a folder: --out DIR')
    process.stdout.write(first.text)
    return
  }
  const folder = resolve(out)
  claimFolder(folder)
  for (const { file, text } of scripts) print(writeWhole(folder, file, text))
}

const printLeftOut = (
  scripts: readonly Script[],
  names: readonly string[],
  { reach, keys }: Target,
): void => {
  for (const name of names) {
    if (scripts.some(({ file }) => file.startsWith(`${name}.`))) continue
    print(`${name} was left out: it needs ${name === 'fleet' ? 'keys of a plan' : 'a larger key'}`)
  }
  for (const { scenario, metric, text } of scripts.flatMap(({ leftOut }) => leftOut)) {
    print(`the threshold ${scenario} ${metric} ${text} was left out: k6 cannot express it`)
  }
  if (reach.ca !== null || reach.identity !== null || reach.insecure) {
    print('the options about certificates were left out: k6 has its own')
  }
  print(
    `the ${keys.length === 1 ? 'key is' : 'keys are'} read from the environment: PETVET_KEY_...`,
  )
}

const print = (line: unknown) => process.stderr.write(`petvet: ${line}\n`)
