// The failures of a run as all formats show them: grouped under headlines, each with what was
// expected and seen, the response, and how to send it again.

import type {
  Cause,
  CheckResult,
  Evidence,
  EvidenceResponse,
  RunFile,
} from '../engine/check/run-file.ts'
import { count } from '../history/quote.ts'
import { quotes } from '../history/text.ts'
import { namedRequirement, placeInInterface } from './by-heading.ts'
import type { KnownVerdict } from './known-failures.ts'
import { beforePasting, reproduceCheck } from './reproduce.ts'
import { cut, visible } from './visible.ts'

/** What the known failures do not excuse: failures, then errors, by headline; and warnings. */
export const newFailures = (run: RunFile, { excused }: KnownVerdict) => {
  const having = (outcome: CheckResult['outcome']) =>
    run.checks.filter((each) => each.outcome === outcome && !excused.has(each.id))
  const failed = [...having('fail'), ...having('error')]
  const groups = groupFailures(failed, run.causes)
  return { failed, groups, summary: summaryOf(run, failed, groups), warnings: having('warn') }
}

/** By headline, in the order of the run file; then what has none. */
export const groupFailures = (failed: readonly CheckResult[], causes: readonly Cause[] = []) => {
  const failures = new Map(failed.map((result) => [result.id, result]))
  const explained = new Set(causes.flatMap(({ explains }) => explains))
  return [
    ...causes.flatMap((cause) => {
      const own = cause.explains.flatMap((id) => failures.get(id) ?? [])
      const show = failures.get(cause.show) ?? own[0]
      return show ? groupOf(withFinding(show, cause), own, cause) : []
    }),
    ...failed.filter(({ id }) => !explained.has(id)).map((show) => groupOf(show, [])),
  ]
}

/** With what the headline is about, without the numbers of the whole check. */
const withFinding = (result: CheckResult, { finding = 0 }: Cause): CheckResult => {
  const shown = result.findings?.[finding]
  if (!shown) return result
  const { expected, actual, evidence } = shown
  const detail = `expected ${expected}; got ${actual}`
  return { ...result, detail, expected, actual, ...(evidence && { evidence: [evidence] }) }
}

/** Failures of one headline; or one without, mostly an error of petvet itself. */
export type FailureGroup = ReturnType<typeof groupOf>

const groupOf = (show: CheckResult, own: readonly CheckResult[], cause?: Cause) => ({
  cause,
  /** In words: the headline, else the violated requirement. */
  says: cause?.observed ?? namedRequirement(show).says,
  /** How many checks could not be tested because of it; empty: none. */
  blocked: cause?.blocks === undefined ? '' : count(cause.blocks, 'check', 'checks'),
  /** The failure to look at first. */
  show,
  others: own.filter(({ id }) => id !== show.id),
})

/** `82 failed checks, 8 musts violated: 3 headlines`; empty where they say no more than that. */
const summaryOf = (
  { requirements }: RunFile,
  failed: readonly CheckResult[],
  groups: readonly FailureGroup[],
): string => {
  const headlines = groups.filter(({ cause }) => cause !== undefined)
  if (headlines.length === 0 || failed.length < 2) return ''
  // A check may be about several of them.
  const musts = requirements.filter(
    ({ id, level, outcome, checks }) =>
      level === 'must' &&
      outcome === 'fail' &&
      failed.some((one) => one.requirement === id || checks.includes(one.id)),
  ).length
  const failures = `${failed.length} failed checks, ${count(musts, 'must', 'musts')} violated`
  return `${failures}: ${count(headlines.length, 'headline', 'headlines')}`
}

/** The headline under which a failure is shown: `Observed: ...`; empty where it has none. */
export const headlineFor = ({ causes = [] }: RunFile, { id, outcome }: CheckResult): string => {
  const cause =
    outcome === 'fail' ? causes.find(({ explains }) => explains.includes(id)) : undefined
  return cause === undefined ? '' : `Observed: ${cause.observed}`
}

/** A line of a failure; several in a row may have one label. */
export type Labelled = readonly [label: string, text: string]

/** What a failed check expected and saw, by label. */
const findingsOf = ({ outcome, expected, actual, fix, detail }: CheckResult): Labelled[] => {
  if (outcome === 'error') return [['Cause', detail]]
  if (expected === undefined) return [['Seen', detail]]
  return [
    ['Expected', `${expected}`],
    ['Actual', `${actual ?? ''}`],
    ...(fix === undefined ? [] : [['Fix', fix] as const]),
  ]
}

const usualHeaders = new Set([
  ...['content-type', 'content-encoding', 'allow', 'location', 'www-authenticate'],
  ...['retry-after', 'deprecation', 'sunset'],
])

/** Whether a header says something about this failure; those of the quota are in each response. */
const matters = (result: CheckResult, { status }: EvidenceResponse, name: string): boolean => {
  const lower = name.toLowerCase()
  if (usualHeaders.has(lower)) return true
  const isOfLimits =
    status === 429 || /^(?:limits|headers|ban|retry-after)\./.test(result.requirement)
  if (lower.startsWith('x-ratelimit-') && isOfLimits) return true
  const says = `${namedRequirement(result).says} ${result.detail}`.toLowerCase()
  return says.split(/[^\w-]+/).includes(lower)
}

const maxHeaderCharacters = 120
const maxBodyCharacters = 300

/**
 * The response that shows the violation, shortened: status and the headers that matter, then its
 * body, unless the finding has quoted it.
 */
const responseLines = (result: CheckResult): string[] => {
  const evidence = result.evidence.at(-1)
  if (!evidence) return []
  const { request, response, noResponse } = evidence
  // The body names the response code, and has a line for each record.
  if (response && request.method === 'DNS') return response.body.trimEnd().split('\n')
  if (!response) return [`none: ${noResponse ?? 'for an unknown reason'}`]
  const headers = response.headers
    .filter(([name]) => matters(result, response, name))
    .map(([name, value]) => `${name}: ${cut(value, maxHeaderCharacters)}`)
  const { body, bodyBytes } = response
  const isQuoted = quotes(result.actual, body)
  const size = bodyBytes ?? body.length
  const more = size > maxBodyCharacters ? ` (${count(size, 'byte', 'bytes')})` : ''
  return [
    [String(response.status), ...headers].join(', '),
    ...(isQuoted || body === '' ? [] : [`${cut(body, maxBodyCharacters)}${more}`]),
  ]
}

/**
 * What sends a request again, line by line (with the others that were in flight, as a script); and
 * its key, if the run had several, and what was in flight with it, if there is anything to say.
 */
export const resending = (run: RunFile, { key, curl, together }: Evidence) => {
  const isOneOfSeveral = key !== undefined && Object.keys(run.requestsByKey).length > 1
  const others = together && count(together.others, 'other request', 'other requests')
  const parts = [isOneOfSeveral && `with ${key}`, others && `together with ${others}`]
  const sent = parts.filter((part) => part).join(', ')
  return { sent, commands: together?.script.split('\n') ?? [curl] }
}

/** A failure as every format shows it; the commands send its last request. */
export const describeFailure = (run: RunFile, result: CheckResult) => {
  const requirement = namedRequirement(result)
  const [last] = result.evidence.slice(-1).map((each) => resending(run, each))
  return {
    word: result.outcome === 'error' ? 'ERROR' : 'FAIL',
    says: requirement.says,
    place: placeInInterface(requirement),
    shown: [
      ...findingsOf(result),
      ...responseLines(result).map((line): Labelled => ['Response', line]),
    ],
    sent: last?.sent ?? '',
    commands: last?.commands ?? [],
    reproduce: reproduceCheck(run, result),
  }
}

/** A failure as plain text in lines: what it is about, each request, how to reproduce it. */
export const plainLines = (run: RunFile, result: CheckResult): string[] => {
  const { shown, sent, commands, reproduce } = describeFailure(run, result)
  const lines = [
    headlineFor(run, result),
    ...shown.map(([label, text]) => `${label}: ${text}`),
    // Those that led to the last one.
    ...result.evidence.slice(0, -1).map(({ curl }) => curl),
    sent && `sent ${sent}`,
    ...commands,
    // A test of a program is repeated by that program.
    run.command ? `Reproduce: ${reproduce}` : '',
    beforePasting(run).replaceAll('`', ''),
  ]
  return lines.filter((line) => line !== '').map(visible)
}
