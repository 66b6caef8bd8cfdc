// What stands beside a run's own findings: known failures, and the columns of other targets.

import { count } from '../engine/count.ts'
import type { RunFile } from '../engine/run-file.ts'
import { type KnownVerdict, nothingKnown } from './known.ts'
import { visible } from './visible.ts'

export const tellKnown = ({ excused, stale, moved = new Map() }: KnownVerdict): string[] => [
  ...(excused.size > 0 ? [`Known failures: ${excused.size}`] : []),
  ...[...excused].map(([id, reason]) => `  ${visible(id)}: ${visible(reason)}`),
  ...(stale.size > 0 ? ['Lines of the known failures to take out or renew:'] : []),
  ...[...stale].map(([id, why]) => `  ${visible(id)}: ${why}`),
  ...(moved.size > 0 ? ['Pinned observations that changed:'] : []),
  ...[...moved].map(([id, how]) => `  ${visible(id)}: ${visible(how)}`),
]

export const titles: Readonly<Record<string, string>> = { prism: 'the Prism mock' }

/** A few lines of a column: it informs, and never changes the verdict. */
export const tellColumn = (
  name: string,
  column: RunFile,
  known: KnownVerdict | undefined,
): string[] => {
  // What it had no time to show is no news.
  if (column.interrupted) return [`Beside it, ${titles[name] ?? name}: interrupted`]
  const { excused, stale } = known ?? nothingKnown
  const passed = column.checks.filter(({ outcome }) => outcome === 'pass').length
  const news = column.checks.filter(({ id, outcome }) => outcome === 'fail' && !excused.has(id))
  const told = [
    `${passed} of ${column.checks.length} checks pass`,
    count(excused.size, 'known failure', 'known failures'),
    ...(column.impossible === null ? [] : [visible(column.impossible)]),
  ]
  return [
    `Beside it, ${titles[name] ?? name}: ${told.join(', ')}`,
    ...news.map(({ id, detail }) => `  not known to fail: ${id}: ${visible(detail)}`),
    ...[...stale].map(([id, why]) => `  known to fail: ${visible(id)}: ${why}`),
  ]
}
