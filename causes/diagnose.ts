// From the checks of a run to its headlines: what was observed, the most severe first.

import type { Cause, CheckResult, Evidence, Finding, RunFile } from '../engine/check/run-file.ts'
import { isViolation } from '../history/outcome.ts'
import { byRanks, type Failure, type Group, groupByEvidence } from './groups.ts'
import { breakingOf, isBroken, isPlain } from './keys.ts'
import { observedIn } from './observed.ts'

/** One of the further findings, with what follows it, as a failure of its own. */
const failureOf = (result: CheckResult, findings: readonly Finding[]): readonly Failure[] =>
  findings.slice(0, 1).flatMap((first) => {
    const { evidence, expected, actual } = first
    if (!evidence) return []
    const shows = result.findings?.indexOf(first) ?? 0
    return [{ ...result, expected, actual, evidence: [evidence], findings, shows }]
  })

/** Each further request that breaks the server, and a page in place of a body. */
const furtherOf = (result: CheckResult): readonly Failure[] =>
  (result.findings ?? [])
    .filter(({ aspect }) => aspect !== 'header')
    .flatMap((finding) => failureOf(result, [finding]))
    .map((each) => ({ ...each, isFurther: true }))

/** Texts that are equal where responses of one status lack the same. */
const lackedWith = ({ aspect, name = '', kind, status }: Finding): readonly string[] =>
  name.split(', ').map((one) => [aspect, one, kind, status].join('|'))

/** What a must says of all responses with a status, a should says of the others only. */
const withoutRepeated = (failed: readonly CheckResult[]): readonly Failure[] => {
  const musts = failed.filter(({ outcome }) => outcome === 'fail')
  const all = musts.flatMap(({ findings = [] }) => findings.filter((each) => each.isOfAll))
  const said = new Set(all.flatMap(lackedWith))
  const isNew = (each: Finding) => !lackedWith(each).every((key) => said.has(key))
  return failed.flatMap((result) => {
    const { outcome, findings = [] } = result
    const left = outcome === 'warn' ? findings.filter(isNew) : findings
    if (left.length === findings.length) return [result]
    return left[0] === findings[0] ? [{ ...result, findings: left }] : failureOf(result, left)
  })
}

const causeOf = (group: Group): Cause[] => {
  const [show] = group
  if (!show) return []
  // What a check found besides is shown only where no other one shows it.
  const own = group.filter(({ isFurther }) => show.isFurther || !isFurther)
  return [
    {
      observed: observedIn(own),
      requirement: show.requirement,
      explains: [...new Set(own.map(({ id }) => id))],
      show: show.id,
      ...(show.shows !== undefined && { finding: show.shows }),
    },
  ]
}

/** `POST http://host/v1/pets 200`: by which responses with a wrong status are compared. */
const responseIn = ({ request, response }: Evidence): string => {
  const [path = ''] = request.url.replace(/(\/pets)\/.*$/s, '$1/{petId}').split('?')
  return [request.method, path, response?.status].join(' ')
}

const lastResponse = ({ evidence }: CheckResult): readonly string[] =>
  evidence.slice(-1).map(responseIn)

const isServedDue = ({ due = [] }: Finding): boolean => [200, 201].includes(due[0]?.[0] ?? 0)

const isOfServed = ({ findings: [first] = [] }: CheckResult): boolean =>
  first?.aspect === 'silence' ||
  (first !== undefined && first.why === undefined && isServedDue(first))

const countBlocked = (own: readonly CheckResult[], checks: readonly CheckResult[]): number => {
  const responses = new Set(own.filter(isOfServed).flatMap(lastResponse))
  const blocked = checks.filter(({ because }) => because === 'blocked').flatMap(lastResponse)
  return blocked.filter((each) => responses.has(each)).length
}

/** A request is served that has no valid key. */
const isOpen = ({ aspect, status, conditions }: Finding): boolean =>
  aspect === 'status' && (status ?? 0) < 300 && conditions.some(({ about }) => about === 'key')

/** A plain request breaks the server; one at an odd request is one fault among others. */
const isBreaking = ({ after: _, ...finding }: Finding): boolean =>
  breakingOf(finding).length > 0 && isPlain(finding)

/** A request that is due to be served is refused, whatever its key was used for. */
const isRefused = (finding: Finding): boolean => {
  const { aspect, status, keys } = finding
  const is4xx = status !== null && status >= 400 && !isBroken(status)
  return aspect === 'status' && !keys && is4xx && isServedDue(finding)
}

/** Of counts for each kind of calls other laws of the limit are broken too. */
const isApart = ({ kind }: Finding): boolean => kind === 'counted apart'

/**
 * Of musts first what blocks most, what serves without a key, what breaks plain requests, what
 * counts calls apart, what refuses requests that are due to be served.
 */
const severity = (own: readonly CheckResult[], blocks: number): number[] => {
  const failed = own.filter(({ outcome }) => outcome === 'fail')
  const findings = own.flatMap((each) => each.findings ?? [])
  const musts = new Set(failed.map(({ requirement }) => requirement))
  const times = own.map((each) => each.findings?.reduce((sum, one) => sum + one.times, 0) ?? 0)
  const most = Math.max(0, ...times)
  const isFirst = [isOpen, isBreaking, isApart, isRefused].map((one) => Number(findings.some(one)))
  const isIsolated = Number(!findings.every((each) => each.isOpen))
  return [Number(failed.length > 0), blocks, ...isFirst, isIsolated, most, musts.size, own.length]
}

const mostSevereFirst = (causes: readonly Cause[], checks: readonly CheckResult[]): Cause[] =>
  causes
    .map((cause) => {
      const own = checks.filter(({ id }) => cause.explains.includes(id))
      const blocks = countBlocked(own, checks)
      const ranks = severity(own, blocks)
      return { cause: blocks > 0 ? { ...cause, blocks } : cause, ranks }
    })
    .sort((a, b) => byRanks(b.ranks, a.ranks))
    .map(({ cause }) => cause)

/** Adds the headlines of what failed; they change no outcome. */
export const withCauses = (run: RunFile): RunFile => {
  const failed = run.checks.filter(({ outcome }) => isViolation(outcome))
  if (failed.length === 0) return { ...run, causes: [] }
  const all = [...withoutRepeated(failed), ...failed.flatMap(furtherOf)]
  const causes = groupByEvidence(all).flatMap(causeOf)
  return { ...run, causes: mostSevereFirst(causes, run.checks) }
}
