// `petvet list --pairs`: which kinds of request follow which, how many of these pairs a run can
// cover, and how many a run against the built-in reference covers.
import { permissions } from '../../engine/check/context.ts'
import type { PlanOptions } from '../../engine/check/spendable-keys.ts'
import { type Pair, pairs, reasons } from '../../model/pairs.ts'
import { measureRun } from '../../proof/measure-run.ts'
import { aligned } from '../../reports/visible.ts'
import { catalogue } from '../../suites/index.ts'

const countLeftOut = (all: readonly Pair[], why?: Pair['leftOut']): number =>
  all.filter(({ leftOut }) => leftOut && leftOut === (why ?? leftOut)).length

/** Of each circumstance, and of all: covered, all, left out. */
export const measurePairs = async (keys: PlanOptions['keys']) => {
  const options = { allow: permissions, clockUrl: 'its own', descriptionUrl: null }
  const { run } = await measureRun(catalogue, { ...options, keys })
  const rows = [...Map.groupBy(pairs, ({ when }) => when)].map(([when, own]) => ({
    ...{ when, covered: run.pairs?.[when]?.[0] ?? 0, all: own.length, leftOut: countLeftOut(own) },
  }))
  const covered = rows.reduce((sum, row) => sum + row.covered, 0)
  return { covered, all: pairs.length, leftOut: countLeftOut(pairs), rows, pairs }
}

/** In lines. */
export const formatPairs = ({
  covered,
  all,
  leftOut,
  rows,
}: Awaited<ReturnType<typeof measurePairs>>): string => {
  const kinds = [...new Set(pairs.map(({ first }) => first))]
  const table = [
    ['', 'covered', 'of', 'left out'],
    ...rows.map((row) => [row.when, `${row.covered}`, `${row.all}`, `${row.leftOut}`]),
    ['all', `${covered}`, `${all}`, `${leftOut}`],
  ]
  return [
    `${kinds.length} kinds of request: ${kinds.join(', ')}.`,
    '',
    ...aligned(table),
    '',
    ...Object.entries(reasons).map(
      ([why, words]) => `${countLeftOut(pairs, why as Pair['leftOut'])} left out: ${words}.`,
    ),
    `A run with all keys and the clock of the built-in reference covers ` +
      `${Math.round((100 * covered) / (all - leftOut))} % of those that are not left out; a run ` +
      'file says it in `pairs`.',
  ].join('\n')
}
