// The run in Markdown, worst first, for the summary of a CI job or a comment on a change.
import type { CheckResult, RunFile } from '../engine/run-file.ts'
import { againOf, isOfDomains, tellVariables, wholeAgain } from './again.ts'
import { isExcused } from './known.ts'
import { loadColumns, tellCounts, tellMs } from './load-lines.ts'
import { beside, observed, untested } from './markdown-rest.ts'
import { block, code, plain, table } from './markdown-text.ts'
import { tellParts } from './parts.ts'
import { sentenceOfCheck } from './sentences.ts'
import type { Source } from './source.ts'
import { verdictTitle } from './verdict-line.ts'

/** GitHub drops a summary above 1 MiB whole; what is left is for the rest of the step. */
const mostBytes = 900 * 1024

/** A failure told at length; those beyond are told in a line. */
const mostAtLength = 50

export const markdown = (source: Source): string => {
  const parts = [head(source), ...broken(source), warned(source), known(source), load(source)]

  return fitted([...parts, beside(source), untested(source), observed(source)])
}

/** As many parts as there is room for, and never a part of one. */
const fitted = (parts: readonly string[]): string => {
  const told = parts.filter((part) => part !== '')
  let bytes = 0
  const kept = told.filter((part) => {
    bytes += Buffer.byteLength(part) + 1
    return bytes <= mostBytes - 200
  })
  const left = told.length - kept.length
  const more = left === 0 ? [] : [`${left} more parts had no room here: see \`run.json\`.\n`]
  return [...kept, ...more].join('\n')
}

const head = ({ run, known: verdict }: Source): string => {
  const keys = Object.entries(run.requestsByKey)
    .filter(([, sent]) => sent > 0)
    .map(([key, sent]) => `${key} ${sent}`)
  const facts = [
    ['Target', code(run.target.baseUrl)],
    ...(run.target.plans.length > 0 ? [['Plans', code(run.target.plans.join(', '))]] : []),
    ['Musts decided', run.decided.must.join(' of ')],
    ['Shoulds decided', run.decided.should.join(' of ')],
    ['Requests', `${run.requests}${keys.length > 0 ? ` (${code(keys.join(', '))})` : ''}`],
    ['Time', `${(run.durationMs / 1_000).toFixed(1)} s, from ${code(run.startedAt)}`],
    ...(isOfDomains(run) ? [] : [['Seed', String(run.seed)]]),
  ]
  // What is not in words of ours is no part of the title.
  const causes = run.impossible === null ? [] : [`${code(run.impossible)}\n`]
  const again = run.impossible !== null || run.interrupted ? [block('sh', [wholeAgain(run)])] : []
  return [
    `## ${plain(verdictTitle(run, verdict))}`,
    '',
    ...causes,
    ...again,
    table(['', ''], facts),
    ...tellParts(run).map((text) => `- ${plain(text)}`),
    ...run.notes.map((text) => `- ${code(text)}`),
    '',
  ].join('\n')
}

const broken = ({ run, known: verdict }: Source): string[] => {
  const open = run.checks.filter((result) => !isExcused(result, verdict))
  const all = (['fail', 'error'] as const).flatMap((outcome) =>
    open.filter((result) => result.outcome === outcome),
  )
  if (all.length === 0) return []
  const rest = all.slice(mostAtLength)
  const toSet = tellVariables(run)
  return [
    `### Broken (${all.length})\n`,
    ...(toSet === '' ? [] : [`${toSet}.\n`]),
    ...all.slice(0, mostAtLength).map((result) => tellBroken(run, result)),
    section('Broken too', ['check', 'seen'], rest.map(inLine)),
  ]
}

const inLine = ({ id, detail }: CheckResult): string[] => [code(id), code(detail)]

const tellBroken = (run: RunFile, result: CheckResult): string => {
  const { id, level, outcome, requirement, expected, actual, detail, evidence } = result
  const { section: place, says } = sentenceOfCheck(result)
  const seen =
    expected === undefined || actual === undefined
      ? [outcome === 'error' ? `Cause: ${detail}` : `Seen: ${detail}`]
      : [`Expected: ${expected}`, `Actual:   ${actual}`]
  return [
    `#### ${outcome === 'error' ? 'ERROR' : 'FAIL'} ${code(id)}`,
    '',
    `${says} (${place}, ${level}: ${code(requirement)})`,
    '',
    block('text', seen),
    ...evidence.slice(-1).map(({ curl }) => block('sh', [curl])),
    block('sh', [againOf(run, result)]),
    '',
  ].join('\n')
}

const section = (title: string, heads: readonly string[], rows: readonly string[][]): string =>
  rows.length === 0 ? '' : `### ${title} (${rows.length})\n\n${table(heads, rows)}\n`

const warned = ({ run, known: verdict }: Source): string =>
  section(
    'Warnings',
    ['check', 'a should that is not kept', 'seen'],
    run.checks
      .filter((result) => result.outcome === 'warn' && !isExcused(result, verdict))
      .map((result) => [code(result.id), sentenceOfCheck(result).says, code(result.detail)]),
  )

const known = ({ known: { excused, stale, moved } }: Source): string =>
  [
    section('Lines of the known failures to take out or renew', ['check', 'why'], rowsOf(stale)),
    section('Pinned observations that changed', ['check', 'how'], rowsOf(moved ?? new Map())),
    section('Known failures', ['check', 'reason'], rowsOf(excused)),
  ]
    .filter((part) => part !== '')
    .join('\n')

const rowsOf = (texts: ReadonlyMap<string, string>): string[][] =>
  [...texts].map(([id, text]) => [code(id), code(text)])

const load = ({ run }: Source): string =>
  section(
    'Load',
    ['scenario', 'server', 'requests', 'p50', 'p90', 'p99', 'most'],
    loadColumns(run).map(({ scenario, column, figures }) => {
      const { latency } = figures
      const times = latency && [latency.p50Ms, latency.p90Ms, latency.p99Ms, latency.maxMs]
      return [
        code(scenario),
        code(column),
        tellCounts(figures),
        ...(times?.map(tellMs) ?? ['', '', '', '']),
      ]
    }),
  )
