// What the server does where the interface is silent: the question, and the answer that was seen.
import type { CheckResult, RunFile } from '../../suites/kit/run-file.ts'
import { byHeading, sentenceOfCheck } from '../sentences.ts'
import { columnTitles } from './columns.ts'
import { clipped, html, type Markup, prose } from './markup.ts'
import { table, words } from './table.ts'

interface Seen {
  readonly id: CheckResult['requirement']
  readonly level: CheckResult['level']
  readonly check: CheckResult
}

export const observations = (run: RunFile): Markup | false => {
  const observed = run.checks.filter(({ outcome }) => outcome === 'observed')
  if (observed.length === 0) return false
  const beside = Object.entries(run.columns ?? {})
  const seen = observed.map((check): Seen => ({ id: check.requirement, level: check.level, check }))
  const groups = [...byHeading(seen)].map(
    ([heading, own]) => html`<tbody>
<tr class="heading"><th colspan="${2 + beside.length}" scope="rowgroup">${heading}</th></tr>
${own.map(({ check }) => observationRow(check, beside))}</tbody>`,
  )
  return html`<section id="observations">
<h2>What this server does where the interface is silent</h2>
<p class="intro">The document leaves these open, so no answer is wrong. A client that relies on one
of them relies on this server.</p>
${table({
  label: 'Observations',
  headings: [
    words('Left open'),
    words('Seen here'),
    ...beside.map(([name]) => words(columnTitles[name] ?? name)),
  ],
  body: groups,
  className: 'observations',
})}</section>`
}

const observationRow = (
  check: CheckResult,
  beside: readonly (readonly [string, RunFile])[],
): Markup => html`<tr><th scope="row">${prose(sentenceOfCheck(check).says)}
<code class="id">${check.id}</code></th>
<td class="seen">${short(check.detail)}</td>${beside.map(
  ([, { observations: seen }]) =>
    html`<td class="seen beside">${short(seen[check.id] ?? 'not asked')}</td>`,
)}</tr>`

const shownMost = 400

const short = (text: string): string => clipped(text, shownMost)
