// From the checks of a run to its likely causes: the fewest known faults that explain what failed.
import { isViolation } from '../engine/outcome.ts'
import type { Cause, CheckResult, RunFile } from '../engine/run-file.ts'
import { type RequirementId, requirement } from '../spec/requirements.ts'
import { type Dictionary, dictionary, type Entry, type Features, featuresOf } from './dictionary.ts'

/** At most so many known faults are looked for in one run. */
const maxCauses = 12
/** The part of a match that does not depend on the evidence. */
const sameCheck = 0.4
/** What a predicted failure that did not come takes from a match. */
const contradiction = 0.8

/** What a match must reach: the share of its predictions that came, and of failures explained. */
const minimum = { precision: 0.45, agreement: 0.35, precisionAlone: 0.75 }

/** What a fault must reach to be distinguished from side effects of another one. */
const minOtherSimilarity = 0.75
const minOtherPrecision = 0.9
const minOtherShare = 0.6
/** A match this near to the best one could as well be the cause. */
const tie = 0.8

/** @returns from 0 (nothing in common) to 1 (the same), by Jaccard */
const similarity = (a: Features, b: Features): number => {
  const common = a.filter((feature) => b.includes(feature)).length
  const all = a.length + b.length - common
  return all === 0 ? 1 : common / all
}

/** A fault of the dictionary, with its signature under the conditions of the run. */
type Fault = Entry & { readonly signature: Entry['full'] }

type Seen = ReturnType<typeof lookAt>
type Match = ReturnType<typeof matchOf>

const weightOf = ({ frequency }: Seen, id: string): number =>
  1 / Math.sqrt(Math.max(1, frequency.get(id) ?? 0))

const matchOf = (seen: Seen, entry: Fault, remaining: ReadonlySet<string>) => {
  let explained = 0
  let contradicted = 0
  const explains: string[] = []
  const { signature } = entry
  for (const [id, features] of signature) {
    const weight = weightOf(seen, id)
    if (remaining.has(id)) {
      const found = similarity(features, seen.features.get(id) ?? [])
      explained += weight * (sameCheck + (1 - sameCheck) * found)
      explains.push(id)
    } else if (seen.passed.has(id)) contradicted += weight
  }
  let unexplained = 0
  for (const id of remaining) {
    const source = seen.causedBy(id)
    const isDerived = source !== undefined && signature.has(source)
    if (!signature.has(id) && !isDerived) unexplained += weightOf(seen, id)
  }
  const whole = explained + contradicted + unexplained
  return {
    entry,
    gain: explained - contradiction * contradicted,
    /** The share of the decided predictions that came. */
    precision: explained / (explained + contradicted || 1),
    /** How well predictions and remaining failures agree, from 0 to 1. */
    agreement: explained / (whole || 1),
    explains,
  }
}

/** The rarer a check fails at the mutants, the more it says; most of all one that failed itself. */
const mostSpecificFirst = ({ frequency, causedBy }: Seen, ids: Iterable<string>): string[] =>
  [...ids].sort(
    (a, b) =>
      Number(causedBy(a) !== undefined) - Number(causedBy(b) !== undefined) ||
      (frequency.get(a) ?? 0) - (frequency.get(b) ?? 0) ||
      (a < b ? -1 : 1),
  )

/** Failures that share an exchange, or that were caused by a request of another failed check. */
const linked = (seen: Seen, explains: ReadonlySet<string>, id: string): boolean => {
  const evidence = seen.failed.get(id)?.evidence ?? []
  if (evidence.some(({ check }) => check !== undefined && explains.has(check))) return true
  const seqs = new Set(evidence.map(({ seq }) => seq))
  return [...explains].some((each) =>
    seen.failed.get(each)?.evidence.some(({ seq, check }) => seqs.has(seq) || check === id),
  )
}

/** Whether two checks usually fail together at the mutants. */
const together = ({ known, frequency }: Seen, a: string, b: string): boolean => {
  const both = known.filter(({ signature }) => signature.has(a) && signature.has(b)).length
  const [ofA, ofB] = [frequency.get(a) ?? 0, frequency.get(b) ?? 0]
  return ofA >= 3 && (both >= 0.2 * ofA || both >= 0.5 * Math.max(1, ofB))
}

const confidenceOf = (match: Match, rival: Match | undefined): Cause['confidence'] => {
  const isAlone = !rival || rival.gain < tie * match.gain
  if (match.agreement >= 0.93 && isAlone) return 'high'
  return match.agreement >= 0.5 ? 'medium' : 'low'
}

/** A match that leaves the most specific failure unexplained has to explain most of the others. */
const isEligible = (match: Match, isFirst: boolean, mostSpecific: string): boolean =>
  match.precision >= minimum.precision &&
  (match.explains.includes(mostSpecific) || match.agreement >= 0.5) &&
  (match.agreement >= minimum.agreement || !isFirst || match.precision >= minimum.precisionAlone)

/** One fault by itself; of several that fit as well, up to three, and their requirement. */
const headlineOf = (entries: readonly Entry[], shared: RequirementId | undefined): string => {
  const faults = entries.flatMap((entry) => entry.faults)
  if (faults.length === 1) return faults[0] ?? ''
  const named = faults.slice(0, 3).map((fault) => `"${fault}"`)
  const one = `One of these faults${faults.length > 3 ? ' or a similar one' : ''}`
  const against = shared === undefined ? '' : `, against "${requirement(shared).says}"`
  return `${one}${against}: ${named.join(', ')}`
}

/** The known fault that explains the most of what remains, if one fits. */
const bestCause = (
  seen: Seen,
  remaining: ReadonlySet<string>,
  isFirst: boolean,
): Cause | undefined => {
  const matches = seen.known
    .map((entry) => matchOf(seen, entry, remaining))
    .filter((match) => match.gain > 0)
    .sort((a, b) => b.gain - a.gain)
  const [mostSpecific = ''] = mostSpecificFirst(seen, remaining)
  const [best, ...rest] = matches.filter((match) => isEligible(match, isFirst, mostSpecific))
  if (!best) return undefined
  const rivals = rest.filter(({ gain }) => gain >= tie * best.gain).slice(0, 3)
  const entries = [best, ...rivals].map(({ entry }) => entry)
  const { mutants, caughtBy } = best.entry
  const isShared = entries.every(({ requirement: id }) => id === best.entry.requirement)
  const explains = mostSpecificFirst(seen, best.explains).sort(
    (a, b) => Number(b === caughtBy) - Number(a === caughtBy),
  )
  return {
    fault: headlineOf(entries, isShared ? best.entry.requirement : undefined),
    mutant: mutants[0] ?? null,
    // Faults against several requirements have little in common.
    confidence: isShared ? confidenceOf(best, rest[0]) : 'low',
    orElse: [...mutants.slice(1), ...rivals.flatMap(({ entry }) => entry.mutants)],
    requirement: best.entry.requirement,
    explains,
    show: explains[0] ?? '',
  }
}

/** Where no known fault is named. */
const noneKnown = { mutant: null, confidence: 'none', orElse: [] } as const

/** Where no known fault fits: what violates the requirement of the most specific failure. */
const unexplained = (seen: Seen, remaining: ReadonlySet<string>): Cause => {
  const ids = mostSpecificFirst(seen, remaining)
  const [show = ''] = ids
  const violated = seen.failed.get(show)?.requirement as RequirementId
  return {
    fault: requirement(violated).says,
    ...noneKnown,
    requirement: violated,
    explains: ids.filter((id) => seen.failed.get(id)?.requirement === violated),
    show,
  }
}

const lookAt = (checks: readonly CheckResult[], hasClock: boolean, entries: Dictionary) => {
  const bad = checks.filter(({ outcome }) => isViolation(outcome))
  const known = entries.map((entry): Fault => {
    return { ...entry, signature: hasClock ? entry.full : entry.plain }
  })
  const frequency = new Map<string, number>()
  for (const { signature } of known) {
    for (const id of signature.keys()) frequency.set(id, (frequency.get(id) ?? 0) + 1)
  }
  const failed = new Map(bad.map((result) => [result.id, result]))
  return {
    known,
    failed,
    features: new Map(bad.map((result) => [result.id, featuresOf(result)])),
    passed: new Set(checks.filter(({ outcome }) => outcome === 'pass').map(({ id }) => id)),
    /** At how many mutants a check fails. */
    frequency,
    /** The failed check whose request another one, an invariant, failed at. */
    causedBy: (id: string) =>
      failed
        .get(id)
        ?.evidence.map(({ check }) => check)
        .find((check) => check !== undefined && check !== id && failed.has(check)),
  }
}

/** What another known fault explains so well that it is no side effect of the first one. */
const ofOtherFault = (seen: Seen, cause: Cause, absorbed: ReadonlySet<string>) => {
  const fits = seen.known
    .filter(({ mutants, caughtBy }) => mutants[0] !== cause.mutant && absorbed.has(caughtBy))
    .filter(({ signature, caughtBy }) => {
      const [predicted = [], found = []] = [signature.get(caughtBy), seen.features.get(caughtBy)]
      return similarity(predicted, found) >= minOtherSimilarity
    })
    .map((entry) => matchOf(seen, entry, absorbed))
    .filter(
      ({ precision, entry, explains }) =>
        precision >= minOtherPrecision && explains.length >= minOtherShare * entry.signature.size,
    )
  return new Set(fits.flatMap(({ explains }) => explains))
}

/** Adds what goes with the failures that a cause explains: side effects of the same fault. */
const withSideEffects = (seen: Seen, cause: Cause, remaining: ReadonlySet<string>): Cause => {
  const explains = new Set(cause.explains)
  const absorbed = new Set<string>()
  for (const id of remaining) {
    if (explains.has(id)) continue
    const isUsual = cause.explains.some((each) => together(seen, id, each))
    if (isUsual || linked(seen, explains, id)) absorbed.add(id)
  }
  const others = ofOtherFault(seen, cause, absorbed)
  return { ...cause, explains: [...explains, ...[...absorbed].filter((id) => !others.has(id))] }
}

/** The share of failed checks beyond which single causes say nothing. */
const brokenShare = 0.5

/** With fewer failures each of them can be read. */
const minBroken = 10

const brokenThroughout = (seen: Seen): Cause | undefined => {
  const failed = [...seen.failed.values()].filter(({ outcome }) => outcome === 'fail')
  const [first] = failed
  const all = failed.length + seen.passed.size
  if (!first || failed.length < Math.max(minBroken, brokenShare * all)) return undefined
  return {
    fault: `Most of what was tested is violated: ${failed.length} of ${all} checks failed.`,
    ...noneKnown,
    requirement: first.requirement,
    explains: [...seen.failed.keys()],
    show: first.id,
  }
}

/** @returns the causes: those of a violated must first, and then those that explain more */
const diagnose = (seen: Seen): Cause[] => {
  const broken = brokenThroughout(seen)
  if (broken) return [broken]
  const remaining = new Set(seen.failed.keys())
  const causes: Cause[] = []
  while (remaining.size > 0 && causes.length < maxCauses) {
    const found = bestCause(seen, remaining, causes.length === 0) ?? unexplained(seen, remaining)
    const cause = withSideEffects(seen, found, remaining)
    for (const id of cause.explains) remaining.delete(id)
    causes.push(cause)
  }
  const failsMust = ({ explains }: Cause) =>
    explains.some((id) => seen.failed.get(id)?.outcome === 'fail')
  return causes.sort((a, b) => Number(failsMust(b)) - Number(failsMust(a)))
}

/** Adds the likely causes of what failed, by the shipped dictionary; they change no outcome. */
export const withCauses = (run: RunFile, known: Dictionary = dictionary()): RunFile => ({
  ...run,
  causes: diagnose(lookAt(run.checks, run.target.clock, known)),
})
