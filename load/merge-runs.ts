// Several machines' runs of one load as one run; runs that do not belong together are refused.
import type { LoadScenarioFigures } from '../suites/kit/load-figures.ts'
import { worst } from '../suites/kit/outcome.ts'
import type { CheckResult, RunFile } from '../suites/kit/run-file.ts'
import { countDecided, rollUp, verdictOf } from '../suites/kit/verdict.ts'
import { mergeScenario, type Part, relabelled } from './merge-figures.ts'
import type { Shard } from './shard.ts'

/** A run, and where it was read. */
export interface ShardRun {
  readonly place: string
  readonly run: RunFile
}

/**
 * @throws Error of one line where the runs do not belong together, or a histogram cannot be read
 */
export const mergeRuns = (given: readonly ShardRun[]): RunFile => {
  const parts = partsOf(given)
  const runs = parts.map(({ value }) => value)
  const [first] = runs as [RunFile, ...RunFile[]]
  const checks = mergeChecks(parts)
  const requirements = rollUp(checks)
  const startMs = Math.min(...runs.map(startOf))
  const isImpossible = runs.some(({ impossible }) => impossible !== null)
  return {
    ...withoutShard(first),
    startedAt: new Date(startMs).toISOString(),
    durationMs: Math.max(...runs.map(endOf)) - startMs,
    target: {
      ...first.target,
      plans: [...new Set(runs.flatMap(({ target }) => target.plans))],
    },
    verdict: gravest([verdictOf(checks, isImpossible, false), ...runs.map((run) => run.verdict)]),
    interrupted: runs.some(({ interrupted }) => interrupted),
    impossible: runs.find(({ impossible }) => impossible !== null)?.impossible ?? null,
    notes: [
      `merged from the runs of ${runs.length} machines`,
      ...new Set(runs.flatMap(({ notes }) => notes)),
    ],
    decided: {
      must: countDecided(requirements, 'must'),
      should: countDecided(requirements, 'should'),
    },
    requests: runs.reduce((sum, { requests }) => sum + requests, 0),
    requestsByKey: relabelled(
      parts.map(({ shard, value }) => ({ shard, value: value.requestsByKey })),
    ),
    checks,
    requirements,
    observations: Object.fromEntries(
      checks.filter(({ outcome }) => outcome === 'observed').map(({ id, detail }) => [id, detail]),
    ),
    load: mergeLoad(parts),
  }
}

/** The load again is that of one machine alone. */
const withoutShard = ({ shard: _, again, ...run }: RunFile): RunFile => {
  if (again === undefined) return run
  return { ...run, again: { ...again, words: again.words.filter(([name]) => name !== '--shard') } }
}

const startOf = ({ startedAt }: RunFile): number => Date.parse(startedAt)
const endOf = (run: RunFile): number => startOf(run) + run.durationMs

/** The order in which the verdict of a run is chosen. */
const gravity = ['not-conformant', 'error', 'undecided', 'conformant'] as const

const gravest = (verdicts: readonly RunFile['verdict'][]): RunFile['verdict'] =>
  gravity.find((verdict) => verdicts.includes(verdict)) ?? 'error'

/** The runs in the order of their machines, once they are found to belong together. */
const partsOf = (given: readonly ShardRun[]): Part<RunFile>[] => {
  const [first, ...others] = given
  if (!first || others.length === 0)
    throw new Error('--merge takes the runs of two machines or more')
  const parts = given.map(({ place, run }) => {
    if (run.shard && run.load) return { place, shard: run.shard, value: run }
    throw new Error(`${place} is no run of one machine of several: make it with --shard I/N`)
  })
  const [one] = parts as [(typeof parts)[number]]
  for (const part of parts.slice(1)) {
    const differs = difference(one.value, part.value)
    if (differs !== undefined) {
      throw new Error(`${part.place} does not belong to ${one.place}: ${differs}`)
    }
  }
  for (let index = 1; index <= one.shard.of; index += 1) {
    const same = parts.filter(({ shard }) => shard.index === index)
    if (same.length === 0) throw new Error(`the run of machine ${index}/${one.shard.of} is missing`)
    if (same.length > 1) {
      const places = same.map(({ place }) => place).join(' and ')
      throw new Error(`${places} are both of machine ${index}/${one.shard.of}`)
    }
  }
  return parts.sort((a, b) => a.shard.index - b.shard.index)
}

/** Why two runs are not of one load, or undefined. */
const difference = (a: RunFile, b: RunFile): string | undefined => {
  const facts: readonly (readonly [name: string, of: (run: RunFile) => string])[] = [
    ['target', ({ target }) => target.baseUrl],
    ['version of petvet', ({ petvet }) => petvet],
    ['number of machines', ({ shard }) => String(shard?.of)],
    ['choice of scenarios', ({ checks }) => checks.map(({ id }) => id).join(', ')],
  ]
  const differs = facts.find(([, of]) => of(a) !== of(b))
  if (differs) {
    const [name, of] = differs
    return `another ${name} (${short(of(b))}, and not ${short(of(a))})`
  }
  const isApart = startOf(a) > endOf(b) || startOf(b) > endOf(a)
  return isApart ? 'they did not run at the same time' : undefined
}

const short = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}...` : text)

const mergeLoad = (parts: readonly Part<RunFile>[]): LoadScenarioFigures[] => {
  const ids = new Set(parts.flatMap(({ value }) => (value.load ?? []).map(({ id }) => id)))
  return [...ids].flatMap((id) => {
    const same = parts.flatMap(({ shard, value }) =>
      (value.load ?? []).filter((each) => each.id === id).map((each) => ({ shard, value: each })),
    )
    return mergeScenario(same) ?? []
  })
}

/** A check takes the worst of its outcomes, told by the machine that it came from. */
const mergeChecks = (parts: readonly Part<RunFile>[]): CheckResult[] => {
  const [first] = parts
  return (first?.value.checks ?? []).map(({ id }) => {
    const same = parts.flatMap(({ shard, value }) =>
      value.checks.filter((check) => check.id === id).map((check) => ({ shard, value: check })),
    )
    return mergeCheck(same as [Part<CheckResult>, ...Part<CheckResult>[]])
  })
}

const mergeCheck = (same: readonly [Part<CheckResult>, ...Part<CheckResult>[]]): CheckResult => {
  // A machine without the keys for it leaves it to the others.
  const able = same.filter(({ value }) => value.because !== 'key')
  const asked = able.length > 0 ? able : same
  const outcome = worst(asked.map(({ value }) => value.outcome))
  const decisive = asked.filter(({ value }) => value.outcome === outcome)
  const [{ value: chosen }] = decisive as [Part<CheckResult>]
  const details = new Set(decisive.map(({ value }) => value.detail))
  const detail =
    details.size === 1
      ? chosen.detail
      : decisive.map(({ shard, value }) => `${nameOf(shard)}: ${value.detail}`).join('; ')
  return { ...chosen, detail, requests: same.reduce((sum, { value }) => sum + value.requests, 0) }
}

const nameOf = ({ index, of }: Shard): string => `machine ${index}/${of}`
