// `petvet explain`: a requirement, check or load scenario and how it is judged, or a known fault.
import { matchesGlob } from 'node:path'
import { command, requiredArgument, toggle } from '../command.ts'
import { explainAll, withoutHost } from '../explain/explain-all.ts'
import type { Explained } from '../explain/explained.ts'
import { formatExplained } from '../explain/format.ts'
import { readingColumns } from '../output/progress.ts'
import { didYouMean, UsageError } from '../usage-error.ts'

/** Piped text is as wide. */
const maxColumns = 80

export const explain = command(
  {
    id: requiredArgument('as `petvet list` prints it, or a glob'),
    json: toggle('a list of explanations, as JSON'),
  },
  ({ id, json }) => {
    const found = explanationsOf(id)
    const columns = Math.min(readingColumns() ?? maxColumns, maxColumns)
    const text = json
      ? JSON.stringify(found, null, 2)
      : found.map((each) => formatExplained(each, columns).join('\n')).join('\n\n')
    process.stdout.write(`${text}\n`)
    return 0
  },
)

/** Several where the id is a glob. @throws UsageError with the id that was probably meant */
export const explanationsOf = (id: string): readonly Explained[] => {
  const all = explainAll()
  const one = all.get(withoutHost(id))
  if (one) return [one]
  const matching = [...all].filter(([each]) => matchesGlob(each, id)).map(([, each]) => each)
  if (matching.length > 0) return matching
  const hint = didYouMean(id, [...all.keys()], 'petvet list prints all')
  throw new UsageError(`"${id}" is no requirement, check, load scenario or mutant${hint}`)
}
