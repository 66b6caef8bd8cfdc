// The run in Markdown, worst first, for the summary of a CI job or a comment on a change.

import {
  type CheckResult,
  describeMs,
  isDomainsRun,
  type RunFile,
} from '../engine/check/run-file.ts'
import { namedRequirement } from './by-heading.ts'
import { describeFailure, type FailureGroup, newFailures } from './failure.ts'
import { describeSent, loadColumns } from './load-lines.ts'
import { observedInWords } from './observed-in-words.ts'
import { beforePasting, reproduceRun } from './reproduce.ts'
import {
  inSeconds,
  listBaselines,
  partlyTested,
  type Source,
  totals,
  usedKeys,
  verdictLine,
} from './summary.ts'
import { untestedGroups } from './untested.ts'
import { cut, visible } from './visible.ts'

const maxCodeCharacters = 300

/** The longest run of backticks in a text. */
const longestBackticks = (text: string): number =>
  Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))

/** Punctuation as HTML has it, which Markdown reads as nothing else, not even in a table. */
const spelt = (text: string): string =>
  text.replace(/[!-/:-@[-`{-~]/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** A code span for a table cell: one line, cut, with fences longer than any run inside. */
export const code = (text: string): string => {
  const line = cut(visible(text).trim(), maxCodeCharacters)
  if (line === '') return '(empty)'
  // A table is split into cells before code spans are parsed, and not everywhere alike at `\|`.
  if (line.includes('|')) return `<code>${spelt(line)}</code>`
  const fence = '`'.repeat(longestBackticks(line) + 1)
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : ''
  return `${fence}${pad}${line}${pad}${fence}`
}

/** A text outside of a code span that may quote the target: no markup, link or mention. */
export const plain = (text: string): string =>
  visible(text)
    .replace(/[\\`*_{}[\]#~]/g, (sign) => `\\${sign}`)
    .replace(/[<>&|]|(?<=:)\/(?=\/)|(?<=www)\./gi, spelt)
    // GitHub looks for names of people in what is left of the text once it is HTML.
    .replaceAll('@', '@&#8203;')

const maxLineCharacters = 4_000

/** A code block with a fence longer than any run of backticks inside. */
const block = (language: string, lines: readonly string[]): string => {
  const text = lines.map((line) => visible(line.slice(0, maxLineCharacters))).join('\n')
  const fence = '`'.repeat(Math.max(3, longestBackticks(text) + 1))
  return `${fence}${language}\n${text}\n${fence}\n`
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

/** @param rows cells in Markdown; text of a target has to pass through `code` first */
export const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(heads), row(heads.map(() => '---')), ...rows.map(row), ''].join('\n')

/** A heading with the number of rows and their table; empty if there are none. */
export const section = (
  title: string,
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): string => (rows.length === 0 ? '' : `### ${title} (${rows.length})\n\n${table(heads, rows)}`)

/** GitHub drops a summary above 1 MiB; the difference is left for other steps of the job. */
const maxBytes = 900 * 1024

/** Further failures have one line each. */
const maxFullFailures = 50

export const markdown = (source: Source): string =>
  fitted([
    head(source),
    ...failures(source),
    warnings(source),
    ...known(source),
    load(source),
    columns(source),
    untested(source),
    observations(source),
  ])

/** As many whole parts as fit. */
const fitted = (parts: readonly string[]): string => {
  const present = parts.filter((part) => part !== '')
  let bytes = 0
  const kept = present.filter((part) => {
    bytes += Buffer.byteLength(part) + 1
    return bytes <= maxBytes - 200
  })
  const left = present.length - kept.length
  const more = left === 0 ? [] : [`${left} more parts are left out: see \`run.json\`.\n`]
  return [...kept, ...more].join('\n')
}

const head = ({ run, known: verdict }: Source): string => {
  const keys = usedKeys(run).map(([key, requests]) => `${key} ${requests}`)
  const facts = [
    ['Target', code(run.target.baseUrl)],
    ...(run.target.plans.length > 0 ? [['Plans', code(run.target.plans.join(', '))]] : []),
    ['Musts tested', run.decided.must.join(' of ')],
    ['Shoulds tested', run.decided.should.join(' of ')],
    ['Requests', `${run.requests}${keys.length > 0 ? ` (${code(keys.join(', '))})` : ''}`],
    ['Time', `${inSeconds(run.durationMs)}, from ${code(run.startedAt)}`],
    ...(isDomainsRun(run) ? [] : [['Seed', String(run.seed)]]),
  ]
  // The reason may quote the target, so it is no part of the title.
  const reason = run.impossible === null ? [] : [`${code(run.impossible)}\n`]
  const wasCut = run.impossible !== null || run.interrupted
  return [
    `## ${plain(verdictLine(run, verdict, []))}`,
    '',
    ...reason,
    ...(wasCut ? [block('sh', [reproduceRun(run)])] : []),
    ...(run.checks.length === 0 ? [] : [`${totals(run)}\n`]),
    table(['', ''], facts),
    ...partlyTested(run).flatMap(({ title, reasons }) => [
      `- ${plain(title)}`,
      ...reasons.map(([reason, number]) => `  - ${number}: ${plain(reason)}`),
    ]),
    ...run.notes.map((text) => `- ${code(text)}`),
    '',
  ].join('\n')
}

const failures = ({ run, known: verdict }: Source): string[] => {
  const { failed, groups, summary } = newFailures(run, verdict)
  if (groups.length === 0) return []
  const more = groups.slice(maxFullFailures).flatMap(({ show, others }) => [show, ...others])
  const sentences = [summary, beforePasting(run)].filter((text) => text !== '')
  return [
    `### Failures (${failed.length})\n`,
    ...sentences.map((text) => `${text}.\n`),
    ...groups.slice(0, maxFullFailures).map((group) => groupPart(run, group)),
    section('More failures', ['check', 'seen'], more.map(shortFailure)),
  ]
}

/** One failure in full, and the ids of the others. */
const groupPart = (run: RunFile, group: FailureGroup): string => {
  const { cause, says, blocked, show, others } = group
  const also = others.map(({ id }) => code(id)).join(', ')
  return [
    cause === undefined ? '' : `**${plain(says)}**\n`,
    blocked && `Untested because of it: ${blocked}.\n`,
    failure(run, show),
    also && `Also failed: ${also}.\n`,
  ]
    .filter((part) => part !== '')
    .join('\n')
}

const shortFailure = ({ id, detail }: CheckResult): string[] => [code(id), code(detail)]

const failure = (run: RunFile, result: CheckResult): string => {
  const { word, says, place, shown, sent, commands, reproduce } = describeFailure(run, result)
  return [
    `#### ${word} ${code(result.id)}`,
    '',
    `${says} (${place}, ${result.level}: ${code(result.requirement)})`,
    '',
    block(
      'text',
      shown.map(([label, text]) => `${label}: ${text}`),
    ),
    ...(commands.length === 0 ? [] : [sent && `Sent ${sent}:\n`, block('sh', commands)]),
    block('sh', [reproduce]),
    '',
  ].join('\n')
}

const warnings = ({ run, known: verdict }: Source): string =>
  section(
    'Warnings',
    ['check', 'a should that is violated', 'seen'],
    newFailures(run, verdict).warnings.map((result) => [
      code(result.id),
      namedRequirement(result).says,
      code(result.detail),
    ]),
  )

const known = ({ known: { excused, stale, moved } }: Source): string[] => [
  section('Known failures to remove or renew', ['check', 'why'], codeRows(stale)),
  section('Pinned observations that changed', ['check', 'how'], codeRows(moved)),
  section('Known failures', ['check', 'reason'], codeRows(excused)),
]

const codeRows = (texts: Iterable<readonly [string, string]>): string[][] =>
  [...texts].map(([id, text]) => [code(id), code(text)])

const load = ({ run }: Source): string =>
  section(
    'Load',
    ['scenario', 'server', 'requests', 'p50', 'p90', 'p99', 'max'],
    loadColumns(run).map(({ scenario, column, figures }) => {
      const { latency } = figures
      const times = latency && [latency.p50Ms, latency.p90Ms, latency.p99Ms, latency.maxMs]
      return [
        code(scenario),
        code(column),
        describeSent(figures),
        ...(times?.map(describeMs) ?? ['', '', '', '']),
      ]
    }),
  )

/** The totals of the same checks at the baselines. */
const columns = ({ run }: Source): string => {
  const lines = listBaselines(run).map(({ says }) => `- ${plain(says)}\n`)
  return lines.length === 0 ? '' : `### Baselines\n\n${lines.join('')}`
}

const folded = (title: string, content: string): string =>
  `<details><summary>${title}</summary>\n\n${content}\n</details>\n`

const maxShownIds = 10

const untested = ({ run: { checks } }: Source): string => {
  const groups = untestedGroups(checks)
  if (groups.length === 0) return ''
  const all = groups.reduce((sum, { checks: own }) => sum + own.length, 0)
  const rows = groups.map(({ because, detail, checks: own }) => {
    const ids = own.slice(0, maxShownIds).map(({ id }) => code(id))
    const rest = own.length > maxShownIds ? `, and ${own.length - maxShownIds} more` : ''
    return [String(own.length), because, code(detail), `${ids.join(', ')}${rest}`]
  })
  return folded(`Untested (${all})`, table(['checks', 'because', 'what is missing', ''], rows))
}

const observations = ({ run }: Source): string => {
  const rows = Object.entries(run.observations).map(([id, value]) => [
    code(id),
    code(value),
    observedInWords(value),
  ])
  if (rows.length === 0) return ''
  const title = `What this server does where the interface is silent (${rows.length})`
  return folded(title, table(['check', 'seen', 'in words'], rows))
}
