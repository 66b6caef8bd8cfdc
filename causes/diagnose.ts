// From the checks of a run to its headlines: what was observed, and which known fault looks so.
import { isViolation } from '../engine/check/outcome.ts'
import type { Cause, CheckResult, Evidence, RunFile } from '../engine/check/run-file.ts'
import type { RequirementId } from '../spec/requirements.ts'
import {
  type Dictionary,
  dictionary,
  type Entry,
  type Features,
  isDrawn,
  printFeatures,
  shareOf,
} from './dictionary.ts'
import { type Group, groupByEvidence } from './groups.ts'
import { observedIn } from './observed.ts'

/** So many faults are named where several fit alike. */
const maxNamed = 3

/** A fault of the dictionary, with its signature under the conditions of the run. */
type Fault = Entry & { readonly signature: Entry['full'] }

interface Seen {
  readonly shares: ReadonlyMap<string, NonNullable<ReturnType<typeof shareOf>>>
  readonly failed: ReadonlyMap<string, Features>
  readonly passed: ReadonlySet<string>
  readonly groups: readonly Group[]
}

/** A known fault that nothing contradicts, and the groups that it explains as a whole. */
interface Fit {
  readonly fault: Fault
  readonly groups: readonly Group[]
  /** How many of its failures came, and how many could not be seen. */
  readonly found: number
  readonly unseen: number
}

/** One check alone shows no more than what it says: another fault may look the same to it. */
const minFound = 2

/** Whether all that was observed is what this fault shows, and most of that was. */
const isSame = (predicted: Features, found: Features): boolean =>
  found.every((each) => predicted.includes(each)) && 2 * found.length >= predicted.length

/** The checks by which a fault is recognized: walks contradict none, nor show it alone. */
const marksOf = ({ signature }: Fault): readonly (readonly [string, Features])[] => {
  const steady = [...signature].filter(([id]) => !isDrawn(id))
  return steady.length > 0 ? steady : [...signature]
}

/** The share of responses that show a fault differs by less, whatever the seed and the keys. */
const maxRatio = 6
/** Expected of fewer responses, a share may be chance. */
const minTimes = 6

/** Whether it shows in far fewer responses than it would, or in far more. */
const isOtherShare = ({ shares }: Fault, seen: Seen): boolean =>
  [...seen.shares].some(([id, { times, judged }]) => {
    const share = shares[id]
    if (share === undefined || Math.max(times, share * judged) < minTimes) return false
    return times > maxRatio * share * judged || maxRatio * times < share * judged
  })

/** @returns undefined where a part of the evidence contradicts the fault */
const fitOf = (fault: Fault, seen: Seen): Fit | undefined => {
  if (isOtherShare(fault, seen)) return undefined
  const { failed, passed, groups } = seen
  let found = 0
  let unseen = 0
  for (const [id, predicted] of marksOf(fault)) {
    const features = failed.get(id)
    if (passed.has(id) || (features && !isSame(predicted, features))) return undefined
    if (features) found += 1
    else unseen += 1
  }
  if (found < minFound || unseen > found) return undefined
  const isOwn = ({ id }: CheckResult) => fault.signature.has(id)
  const touched = groups.filter(({ results }) => results.some(isOwn))
  // Without a test clock a walk is so short that whether it meets a fault is chance.
  const meetsWalks = [...fault.signature.keys(), ...fault.full.keys()].some(isDrawn)
  const mayShow = (one: CheckResult) => isOwn(one) || (meetsWalks && isDrawn(one.id))
  return touched.every(({ results }) => results.every(mayShow))
    ? { fault, groups: touched, found, unseen }
    : undefined
}

/** A fault that leaves more of the failures unexplained may be a part of another one. */
const minHigh = { found: 4, share: 0.8 }

const confidenceOf = (
  { found, unseen }: Fit,
  rivals: readonly Fit[],
  failures: number,
): Cause['confidence'] => {
  if (rivals.length > 1) return 'low'
  const isWhole = unseen === 0 && found >= minHigh.share * failures
  return found >= minHigh.found && isWhole ? 'high' : 'medium'
}

/** The faults that explain the most; several where they explain the same. */
const bestFits = (fits: readonly Fit[]): readonly Fit[] => {
  const most = Math.max(...fits.map(({ found }) => found))
  return fits.filter(({ found }) => found === most)
}

const namesOf = (fits: readonly Fit[]): string => {
  const faults = [...new Set(fits.flatMap(({ fault }) => fault.faults))]
  const [only = ''] = faults
  if (faults.length === 1) return only
  const named = faults.slice(0, maxNamed).map((fault) => `"${fault}"`)
  const others = faults.length > maxNamed ? ', or a similar one' : ''
  return `one of these faults${others}: ${named.join(', ')}`
}

const unnamed = { fault: null, mutant: null, confidence: 'none', otherMutants: [] } as const

type Named = Pick<Cause, 'fault' | 'mutant' | 'confidence' | 'otherMutants'>

const nameOf = (fits: readonly Fit[], failures: number): Named => {
  const [best] = fits
  if (!best) return unnamed
  const [mutant = null, ...otherMutants] = fits.flatMap(({ fault }) => fault.mutants)
  return {
    fault: namesOf(fits),
    mutant,
    confidence: confidenceOf(best, fits, failures),
    otherMutants,
  }
}

const causeOf = (groups: readonly Group[], fits: readonly Fit[], failures = 0): Cause => {
  const results = groups.flatMap((group) => group.results)
  const [show] = results
  const caughtBy = fits[0]?.fault.caughtBy
  const shown = results.find(({ id }) => id === caughtBy) ?? show
  // What tells the requests apart says more than several faults of which some do not fit it.
  const isApart = results.some(({ findings = [] }) => findings.some(({ contrast }) => contrast))
  return {
    observed: observedIn(shown ? [shown, ...results.filter((each) => each !== shown)] : []),
    ...nameOf(isApart && fits.length > 1 ? [] : fits, failures),
    requirement: shown?.requirement as RequirementId,
    explains: results.map(({ id }) => id),
    show: shown?.id ?? '',
  }
}

/** `POST http://host/v1/pets 200`: by which responses with a wrong status are compared. */
const responseIn = ({ request, response }: Evidence): string => {
  const [path = ''] = request.url.replace(/(\/pets)\/.*$/s, '$1/{petId}').split('?')
  return [request.method, path, response?.status].join(' ')
}

/** How many checks were blocked by each kind of response. */
const blockedBy = (checks: readonly CheckResult[]): ReadonlyMap<string, number> => {
  const numbers = new Map<string, number>()
  for (const { because, evidence } of checks) {
    const last = because === 'blocked' ? evidence.at(-1) : undefined
    if (!last) continue
    const response = responseIn(last)
    numbers.set(response, (numbers.get(response) ?? 0) + 1)
  }
  return numbers
}

/** @returns the cause with the number of checks that such a response blocked */
const withBlocked = (
  cause: Cause,
  results: ReadonlyMap<string, CheckResult>,
  blocked: ReadonlyMap<string, number>,
): Cause => {
  const responses = cause.explains
    .flatMap((id) => results.get(id) ?? [])
    .filter(({ expected = '', findings: [first] = [] }) => {
      return first?.aspect === 'silence' || /^status 20\d/.test(expected)
    })
    .flatMap(({ evidence }) => evidence.slice(-1).map(responseIn))
  const blocks = [...new Set(responses)].reduce((sum, each) => sum + (blocked.get(each) ?? 0), 0)
  return blocks > 0 ? { ...cause, blocks } : cause
}

/** Server errors and lost connections first, then violated musts, by how much they break. */
const severity = (
  { explains, blocks = 0 }: Cause,
  results: ReadonlyMap<string, CheckResult>,
): number[] => {
  const own = explains.flatMap((id) => results.get(id) ?? [])
  const findings = own.flatMap((each) => each.findings ?? [])
  const isBroken = findings.some(({ aspect, status }) => {
    return aspect === 'silence' || (aspect === 'status' && (status ?? 0) >= 500)
  })
  const failsMust = own.some(({ outcome }) => outcome === 'fail')
  const musts = new Set(
    own.filter(({ outcome }) => outcome === 'fail').map((each) => each.requirement),
  )
  const times = own.map((each) => each.findings?.reduce((sum, one) => sum + one.times, 0) ?? 0)
  const responses = Math.max(0, ...times)
  const isFirst = [Number(failsMust), Number(isBroken && failsMust)]
  return [...isFirst, blocks, responses, musts.size, explains.length]
}

const mostSevereFirst = (causes: readonly Cause[], checks: readonly CheckResult[]): Cause[] => {
  const results = new Map(checks.map((result) => [result.id, result]))
  const blocked = blockedBy(checks)
  return causes
    .map((each) => withBlocked(each, results, blocked))
    .map((cause) => ({ cause, ranks: severity(cause, results) }))
    .sort((a, b) => b.ranks.map((rank, at) => rank - (a.ranks[at] ?? 0)).find(Boolean) ?? 0)
    .map(({ cause }) => cause)
}

const diagnose = (checks: readonly CheckResult[], known: readonly Fault[]): Cause[] => {
  const bad = checks.filter(({ outcome }) => isViolation(outcome))
  const seen: Seen = {
    failed: new Map(bad.map((result) => [result.id, printFeatures(result)])),
    passed: new Set(checks.filter(({ outcome }) => outcome === 'pass').map(({ id }) => id)),
    groups: groupByEvidence(bad),
    shares: new Map(
      bad.flatMap((one) => {
        const share = shareOf(one)
        return share ? [[one.id, share] as const] : []
      }),
    ),
  }
  const failures = bad.filter(({ id }) => !isDrawn(id)).length || bad.length
  const causes: Cause[] = []
  let fits = known.flatMap((fault) => fitOf(fault, seen) ?? [])
  let left = seen.groups
  while (fits.length > 0) {
    const best = bestFits(fits)
    const [{ groups }] = best as [Fit]
    const alike = best.filter((fit) => fit.groups.every((each, at) => each === groups[at]))
    causes.push(causeOf(groups, alike, failures))
    left = left.filter((group) => !groups.includes(group))
    fits = fits.filter((fit) => fit.groups.every((group) => left.includes(group)))
  }
  causes.push(...left.map((group) => causeOf([group], [])))
  return mostSevereFirst(causes, checks)
}

/** Adds the headlines of what failed, by the shipped dictionary; they change no outcome. */
export const withCauses = (run: RunFile, known: Dictionary = dictionary()): RunFile => ({
  ...run,
  causes: diagnose(
    run.checks,
    known.map(
      (entry): Fault => ({
        ...entry,
        signature: run.target.clock ? entry.full : entry.plain,
      }),
    ),
  ),
})
