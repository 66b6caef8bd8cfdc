// What is known of each check after several rounds, as a round need not ask all of them.
import { needsWholeRun } from '../../reports/again.ts'
import { compareRuns } from '../../reports/compare/comparison.ts'
import type { KnownVerdict } from '../../reports/known.ts'
import type { CheckResult, RunFile } from '../../suites/kit/run-file.ts'
import type { Scope } from './wishes.ts'

/** What a round changed; ids in the order of the run. */
export interface Turn {
  readonly nowPasses: readonly string[]
  readonly stillFails: readonly string[]
  readonly newlyFails: readonly string[]
  /** Failed before, and was not decided now; with the reason. */
  readonly undecided: readonly (readonly [id: string, why: string])[]
}

export interface Standing {
  /** Takes in a round. @returns what it changed; null of the first one */
  readonly take: (run: RunFile, known: KnownVerdict, scope: Scope) => Turn | null
  /** The checks that fail, and those whose response last violated an invariant. */
  readonly toAskFirst: () => ReadonlySet<string>
  readonly failing: () => readonly string[]
}

const isFailing = ({ outcome }: CheckResult) => outcome === 'fail' || outcome === 'error'

/** Without what it weighs: many rounds are to cost no more memory than one. */
const light = (result: CheckResult): CheckResult => ({
  ...result,
  evidence: result.evidence.slice(-1).map((last) => ({
    ...last,
    request: { ...last.request, body: null },
    response: null,
  })),
})

export const createStanding = (): Standing => {
  const last = new Map<string, CheckResult>()
  let isFirst = true

  const failing = () => [...last.values()].filter(isFailing)

  /** An invariant that failed does not pass in a round that asked only what failed. */
  const asKnown =
    (scope: Scope) =>
    (result: CheckResult): CheckResult => {
      const was = last.get(result.id)
      const isBetter = was !== undefined && isFailing(was) && !isFailing(result)
      if (scope !== 'failed' || !isBetter || !needsWholeRun(was)) return result
      return { ...result, outcome: 'untested', detail: 'only all checks together show it' }
    }

  const turnOf = (run: RunFile): Turn => {
    const asked = run.checks.filter(({ id }) => last.has(id))
    const before = { ...run, checks: asked.flatMap(({ id }) => last.get(id) ?? []) }
    const { changes } = compareRuns(before, run)
    const fails = new Set(run.checks.filter(isFailing).map(({ id }) => id))
    const failed = before.checks.filter(isFailing).map(({ id }) => id)
    const wasFailing = ({ was }: { was: string | null }) => was === 'fail' || was === 'error'
    const whyOf = (id: string) => run.checks.find((check) => check.id === id)?.detail ?? ''
    const turned = [...changes.newlyPassing, ...changes.newlyDecided].filter(wasFailing)
    const lost = [...changes.newlyUndecided, ...changes.added].filter(wasFailing)
    return {
      nowPasses: turned.map(({ id }) => id),
      stillFails: failed.filter((id) => fails.has(id)),
      newlyFails: [...fails].filter((id) => !failed.includes(id)),
      undecided: lost.filter(({ id }) => !fails.has(id)).map(({ id }) => [id, whyOf(id)]),
    }
  }

  return {
    take: (run, { excused }, scope) => {
      const asked = run.checks.filter(({ id }) => !excused.has(id))
      const held = { ...run, checks: asked.map(asKnown(scope)) }
      const turn = isFirst ? null : turnOf(held)
      isFirst = false
      for (const result of held.checks) {
        // What was not decided says nothing against what was seen before.
        if (result.outcome !== 'untested' || !last.has(result.id))
          last.set(result.id, light(result))
      }
      return turn
    },
    toAskFirst: () =>
      new Set(failing().flatMap(({ id, evidence }) => [id, evidence.at(-1)?.check ?? id])),
    failing: () => failing().map(({ id }) => id),
  }
}
