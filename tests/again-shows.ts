// A mutant that is found by all answers together, and whether the line of its failure finds it.

import { keysOf, vettingOf } from '../cli/proving/vetting.ts'
import { select } from '../cli/selection.ts'
import { suiteOf } from '../cli/suite-of.ts'
import type { Mutant } from '../reference/mutant.ts'
import { mutants } from '../reference/mutants.ts'
import { startReference } from '../reference/start.ts'
import { againOf } from '../reports/again.ts'
import { catalogue } from '../suites/index.ts'
import type { Question } from '../suites/kit/check.ts'
import { runSuites } from '../suites/kit/run.ts'
import type { RunFile } from '../suites/kit/run-file.ts'
import { testOptions } from './vet-reference.ts'

const invariants = new Set(catalogue.filter(({ kind }) => kind === 'invariant').map(({ id }) => id))

/** By chance, it is not known that the same request draws the same answer. */
const byChance = ['refused-by-chance']

export const foundByAll = mutants.filter(
  ({ id, caughtBy }) => invariants.has(caughtBy) && !byChance.includes(id),
)

const isBroken = ({ outcome }: { outcome: string }) => outcome === 'fail' || outcome === 'warn'

/** What the line chooses of the catalogue; all that was asked where it chooses nothing. */
const chosenBy = (line: string, asked: readonly Question[]): readonly Question[] => {
  const only = [...line.matchAll(/--only (\S+)/g)].map(([, id = '']) => id)
  return only.length === 0 ? asked : select(catalogue, suiteOf, { only, skip: undefined })
}

export interface Shown {
  /** The sentences about every answer that the second run found to be broken. */
  readonly broken: readonly string[]
  /** Those that their line did not find again, with it. */
  readonly lost: readonly string[]
  /** How many lines ask everything. */
  readonly whole: number
}

/** Vets a mutant twice without a restart, and then holds each line of the second run. */
export const shownAgain = async (mutant: Mutant): Promise<Shown> => {
  const { questions, allow, ...vetting } = vettingOf(mutant.suite ?? 'contract', mutant.keys ?? [])
  const keys = keysOf({ questions, allow, ...vetting })
  const server = await startReference({
    keys: keys.map(({ plan, key, quota }) => ({ plan, key, ...quota })),
    ...{ store: 'memory', port: 0, clockPort: 0, variant: mutant, onFault: () => {} },
  })
  const { url, clockUrl = null, close } = server
  const categories = mutant.categories ?? []
  const options = testOptions(url, { clockUrl, keys, allow, categories, maxRequests: 6_000 })
  const vet = (asked: readonly Question[]): Promise<RunFile> =>
    runSuites(asked, options, { exchange: () => {}, event: () => {} })
  try {
    await vet(questions)
    const second = await vet(questions)
    const run: RunFile = { ...second, again: { command: 'check', words: [] } }
    const broken = run.checks.filter((check) => invariants.has(check.id) && isBroken(check))
    const lines = new Map(broken.map((check) => [check.id, againOf(run, check)]))
    const lost: string[] = []
    for (const [id, line] of lines) {
      const { checks } = await vet(chosenBy(line, questions))
      const again = checks.find((check) => check.id === id)
      if (!again || !isBroken(again)) lost.push(`${line}: ${again?.outcome} ${again?.detail}`)
    }
    const whole = [...lines.values()].filter((line) => !line.includes('--only')).length
    return { broken: [...lines.keys()], lost, whole }
  } finally {
    await close()
  }
}
