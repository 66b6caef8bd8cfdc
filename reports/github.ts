// Workflow commands of GitHub: failures and warnings as annotations.
import { type CheckResult, failedThresholds } from '../engine/check/run-file.ts'
import { namedRequirement } from './by-heading.ts'
import { newFailures } from './failure.ts'
import { type Source, verdictLine } from './summary.ts'
import { visible } from './visible.ts'

/** GitHub shows no more annotations of one kind per step. */
const maxOfKind = 10
const maxCharacters = 2_000

type Kind = 'error' | 'warning' | 'notice'

export const github = ({ run, known }: Source): string => {
  const failures = newFailures(run, known)
  const stale = [...known.stale].map(([id, why]) => command('error', `known failures: ${id}`, why))
  const moved = [...known.moved].map(([id, how]) => command('warning', `pinned: ${id}`, how))
  // One annotation per headline: GitHub shows few, and eighty of one fault hide the others.
  const errors = failures.groups.map(({ show, others, says }) => {
    const also = others.map(({ id }) => id).join(', ')
    return annotation('error', show, says, also && `\nAlso failed: ${also}`)
  })
  const { violated } = failedThresholds(run.checks)
  const warnings = failures.warnings.map((result) => {
    const kind = violated.includes(result) ? 'error' : 'warning'
    return annotation(kind, result, namedRequirement(result).says)
  })
  const kind: Kind = run.verdict === 'conformant' && violated.length === 0 ? 'notice' : 'warning'
  const lines = [
    command(kind, 'petvet', verdictLine(run, known)),
    ...(run.impossible === null ? [] : [command('error', 'petvet', run.impossible)]),
    ...capped(run.notes.map((note) => command('notice', 'petvet', note))),
    ...capped([...errors, ...stale]),
    ...capped([...moved, ...warnings]),
  ]
  return `${lines.join('\n')}\n`
}

/** One less of a kind, so that the verdict is among those that are shown. */
const capped = (commands: readonly string[]): readonly string[] => commands.slice(0, maxOfKind - 1)

const annotation = (kind: Kind, { id, level, detail }: CheckResult, says: string, also = '') =>
  command(kind, `${id} (${level})`, `${says}\n${detail.slice(0, maxCharacters)}${also}`)

/** A text in a command cannot end it: only a line end does. */
const data = (text: string): string =>
  text.split('\n').map(visible).join('\n').replace(/%/g, '%25').replace(/\n/g, '%0A')

const command = (kind: Kind, title: string, message: string): string => {
  const property = data(title).replace(/:/g, '%3A').replace(/,/g, '%2C')
  return `::${kind} title=${property}::${data(message)}`
}
