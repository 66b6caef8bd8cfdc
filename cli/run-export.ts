// The work of `petvet load --to k6`: scenarios as scripts for k6; nothing is sent.
import { resolve } from 'node:path'
import { labelKeys } from '../engine/session.ts'
import { type ExportHeader, exported, k6Scripts, type Script } from '../load/export-k6.ts'
import { writeWhole } from '../reports/run-folder.ts'
import { claimFolder } from './claim-folder.ts'
import { type LoadFlags, readLoadSettings } from './load-settings.ts'
import type { Target } from './target.ts'
import { UsageError } from './usage-error.ts'

export const runExport = (flags: LoadFlags, to: string): number => {
  if (to !== 'k6') throw new UsageError(`--to takes k6, not "${to}"`)
  const { target, scenarios, load, thresholds } = readLoadSettings(
    flags,
    process.env,
    process.cwd(),
  )
  if (!target) throw new UsageError(`--to needs a base-url: petvet load BASE-URL --to k6 ...`)
  const named = flags.scenario ?? []
  const names = exported.filter((name) => scenarios.some(({ id }) => id === name))
  if (names.length === 0) {
    throw new UsageError(`--to knows ${exported.join(', ')}, and not ${named.join(', ')}`)
  }
  const request = {
    baseUrl: target.baseUrl,
    keys: labelKeys(target.keys),
    settings: load,
    thresholds: thresholds ?? [],
    headers: headersOf(target),
  }
  const scripts = k6Scripts(request, names)
  deliver(scripts, flags)
  tellWhatIsNotThere(scripts, names, target)
  return 0
}

/** What came from the environment is read from there again. */
const headersOf = ({ headers, secrets }: Target): ExportHeader[] =>
  headers.map(([name, value]) => {
    const secret = secrets.find(({ text }) => text === value)
    return { name, value: secret ? '' : value, variable: secret?.name ?? null }
  })

const deliver = (scripts: readonly Script[], { out }: LoadFlags): void => {
  const [first] = scripts
  if (!first) throw new UsageError('none of the keys can bear a scenario that is to be written')
  if (out === undefined) {
    if (scripts.length > 1) throw new UsageError('several scripts need a folder: --out DIR')
    process.stdout.write(first.text)
    return
  }
  const folder = resolve(out)
  claimFolder(folder)
  for (const { file, text } of scripts) {
    process.stderr.write(`petvet: ${writeWhole(folder, file, text)}\n`)
  }
}

const tellWhatIsNotThere = (
  scripts: readonly Script[],
  names: readonly string[],
  { reach, keys }: Target,
): void => {
  const tell = (text: string) => process.stderr.write(`petvet: ${text}\n`)
  for (const name of names) {
    if (!scripts.some(({ file }) => file.startsWith(`${name}.`))) {
      tell(`${name} was left out: it needs ${name === 'fleet' ? 'keys of a plan' : 'a larger key'}`)
    }
  }
  for (const { scenario, metric, text } of scripts.flatMap(({ leftOut }) => leftOut)) {
    tell(`the threshold ${scenario} ${metric} ${text} was left out: k6 cannot hold it`)
  }
  const { ca, identity, insecure } = reach
  if (ca !== null || identity !== null || insecure) {
    tell(`what is said of certificates was left out: k6 has its own way to say it`)
  }
  tell(`the ${keys.length === 1 ? 'key is' : 'keys are'} read from the environment: PETVET_KEY_...`)
}
