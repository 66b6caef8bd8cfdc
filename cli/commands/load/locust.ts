// `petvet load --to locust` writes the plan of a load for several machines; `--from` judges what
// their workers wrote.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Target } from '../../../config/target.ts'
import { UsageError } from '../../../config/values.ts'
import { judgeSamples } from '../../../load/locust/judge.ts'
import { filesForLocust, type Planned } from '../../../load/locust/plan.ts'
import { readSamples } from '../../../load/locust/samples.ts'
import { writeWhole } from '../../../reports/run-folder.ts'
import type { OutputSettings } from '../../output/finish.ts'
import { claimFolder } from '../../output/folder.ts'
import { say } from '../../output/progress.ts'
import { recorded, runInFolder } from '../../run/recorded.ts'

const refuse = ({ message }: Error): never => {
  throw new UsageError(message)
}

type ToWrite = OutputSettings & Omit<Planned, keyof Target> & { readonly target: Target | null }

/** @param out the folder as it was given. @returns the exit code */
export const writeTo = async (settings: ToWrite, out: string | undefined): Promise<number> => {
  const { target, folder, quiet } = settings
  if (!target || out === undefined) {
    throw new UsageError('--to locust needs a base URL, and a folder: --out DIR')
  }
  if (existsSync(join(folder, 'plan.json'))) throw new UsageError(`${out} already contains a plan`)
  const { files, plan, leftOut } = await filesForLocust({ ...settings, ...target }).catch(refuse)
  claimFolder(folder)
  for (const [name, text] of files) writeWhole(folder, name, text)
  for (const line of leftOut) say(line, { quiet })
  const { requests, users, seconds, variables } = plan
  const what = `${requests} requests of ${users} users in ${seconds} s`
  say(`${out}: ${what}; the workers need ${variables.join(', ')}; README.md says how`, { quiet })
  return 0
}

type Given = OutputSettings & Parameters<typeof judgeSamples>[1]

const filesAt = (place: string): string[] => {
  if (!statSync(place).isDirectory()) return [place]
  const names = readdirSync(place).filter((name) => /^samples-.*\.ndjson(?:\.gz)?$/.test(name))
  return names.sort().map((name) => join(place, name))
}

/** @returns the exit code */
export const judgeFrom = async (places: readonly string[], given: Given): Promise<number> => {
  const files = await (async () => readSamples(places.flatMap(filesAt)))().catch(refuse)
  return runInFolder(given, (signal) =>
    recorded(given, signal, (sink) => judgeSamples(files, given, sink)),
  )
}
