// `petvet load --to locust` writes the plan of a load for several machines; `--from` judges what
// their workers wrote.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Target } from '../../../config/target.ts'
import { UsageError } from '../../../config/values.ts'
import { type Judging, judgeSamples } from '../../../load/locust/judge.ts'
import { filesForLocust, type Planned, planName } from '../../../load/locust/plan.ts'
import { readSamples } from '../../../load/locust/samples.ts'
import { rateLimitHeaders } from '../../../model/limiter/headers.ts'
import { writeWhole } from '../../../reports/run-folder.ts'
import type { OutputSettings } from '../../output/finish.ts'
import { claimFolder } from '../../output/folder.ts'
import { say } from '../../output/progress.ts'
import { recorded, runInFolder } from '../../run/recorded.ts'

const refuse = ({ message }: Error): never => {
  throw new UsageError(message)
}

type ToWrite = OutputSettings & Planned & { readonly target: Target | null }

/** @param out the folder as it was given. @returns the exit code */
export const writeTo = async (settings: ToWrite, out: string | undefined): Promise<number> => {
  const { target, folder, quiet } = settings
  if (!target) throw new UsageError('--to locust needs a base URL')
  if (out === undefined) throw new UsageError('--to locust needs a folder: --out DIR')
  if (existsSync(join(folder, planName))) throw new UsageError(`${out} already contains a plan`)
  const { files, plan, leftOut } = await filesForLocust(target, settings).catch(refuse)
  claimFolder(folder)
  for (const [name, text] of files) writeWhole(folder, name, text)
  for (const line of leftOut) say(line, { quiet })
  const { requests, users, seconds, variables } = plan
  const what = `${requests} requests of ${users} users in ${seconds} s`
  say(`${out}: ${what}; the workers need ${variables.join(', ')}; README.md says how`, { quiet })
  return 0
}

type Given = OutputSettings & Omit<Judging, 'clauses'>

const filesAt = (place: string): string[] => {
  if (!statSync(place).isDirectory()) return [place]
  const names = readdirSync(place).filter((name) => /^samples-.*\.ndjson(?:\.gz)?$/.test(name))
  if (names.length === 0) throw new Error(`${place} has no samples-*.ndjson of a worker`)
  return names.sort().map((name) => join(place, name))
}

/** @returns the exit code */
export const judgeFrom = async (places: readonly string[], given: Given): Promise<number> => {
  const files = await (async () => readSamples(places.flatMap(filesAt)))().catch(refuse)
  // The workers kept no bodies: clauses about them have nothing to judge.
  const judged = { ...given, clauses: rateLimitHeaders }
  return runInFolder(given, (signal) =>
    recorded(given, signal, (sink) => judgeSamples(files, judged, sink)),
  )
}
