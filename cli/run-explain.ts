// The work of `petvet explain`: a sentence, a check or a load scenario, and how it is judged.
import { matchesGlob } from 'node:path'
import type { Explained } from './explain/explained.ts'
import { explainAll, withoutHost } from './explain/find.ts'
import { tellExplained } from './explain/tell.ts'
import { didYouMean } from './nearest.ts'
import { readingColumns } from './reading-width.ts'
import { UsageError } from './usage-error.ts'

interface ExplainFlags {
  readonly id: string
  readonly json: boolean | undefined
}

/** What is piped is as wide. */
const widest = 80

export const runExplain = async ({ id, json }: ExplainFlags): Promise<number> => {
  const found = explain(id)
  const columns = Math.min(readingColumns() ?? widest, widest)
  const text = json
    ? JSON.stringify(found, null, 2)
    : found.map((each) => tellExplained(each, columns).join('\n')).join('\n\n')
  process.stdout.write(`${text}\n`)
  return 0
}

/** A list, as a glob may mean several. @throws UsageError with the id that may have been meant */
export const explain = (id: string): readonly Explained[] => {
  const all = explainAll()
  const one = all.get(withoutHost(id))
  if (one) return [one]
  const matching = [...all].filter(([each]) => matchesGlob(each, id)).map(([, each]) => each)
  if (matching.length > 0) return matching
  const hint = didYouMean(id, [...all.keys()], 'petvet list prints all')
  throw new UsageError(`"${id}" is no sentence, no check and no load scenario${hint}`)
}
