// Every sentence that the run spoke of, by the headings of the interface, to be filtered.
import type { CheckResult, RequirementResult, RunFile } from '../../engine/run-file.ts'
import { partOf, partWord, tellPart } from '../parts.ts'
import { byHeading, sentenceOf } from '../sentences.ts'
import { columnTitles } from './columns.ts'
import { filters } from './filters.ts'
import { clipped, html, type Markup, prose } from './markup.ts'
import { badge, levelChip } from './signs.ts'
import { numbers, table, words } from './table.ts'

type Checks = ReadonlyMap<string, CheckResult>

interface Beside {
  readonly title: string
  readonly checks: Checks
}

const checksOf = ({ checks }: RunFile): Checks => new Map(checks.map((each) => [each.id, each]))

export const requirements = (run: RunFile): Markup => {
  const checks = checksOf(run)
  const beside = Object.entries(run.columns ?? {}).map(([name, column]) => ({
    title: columnTitles[name] ?? name,
    checks: checksOf(column),
  }))
  const groups = [...byHeading(run.requirements)]
  return html`<section id="requirements" data-filtered><h2>Requirements</h2>
<p class="intro">Each sentence of the interface that this run asked about; it has the worst outcome
of its checks.</p>
${filters(run.requirements)}
<p class="empty" hidden data-empty>No requirement is like this.</p>
${groups.map(
  ([heading, own]) => html`<div class="group" data-group><h3>${heading}</h3>
<ul class="rows">${own.map((each) => row(each, checks, beside))}</ul></div>`,
)}</section>`
}

const row = (result: RequirementResult, checks: Checks, beside: readonly Beside[]): Markup => {
  const { says, section } = sentenceOf(result)
  const { id, outcome, level } = result
  const part = partOf(result, checks)
  return html`<li class="row" data-row data-outcome="${outcome}" data-level="${level}">
<details><summary>${part ? badge(outcome, partWord) : badge(outcome)}
<span class="says">${prose(says)}</span>
${levelChip(level)}</summary>
<div class="row-body"><p class="where">${section} · <code>${id}</code></p>
${part && html`<p class="part">${tellPart(part)}</p>`}
${table({
  label: `Checks of ${id}`,
  headings: [
    words('Check'),
    words('Outcome'),
    ...beside.map(({ title }) => words(title)),
    words('Seen'),
    numbers('Requests'),
  ],
  body: html`<tbody>${result.checks.map((each) => checkRow(each, checks, beside))}</tbody>`,
  className: 'checks',
})}</div></details></li>`
}

const shownDetail = 600

const checkRow = (id: string, checks: Checks, beside: readonly Beside[]): Markup => {
  const name = html`<code>${id}</code>`
  const result = checks.get(id)
  if (!result) return html`<tr><td>${name}</td></tr>`
  const { outcome, detail, requests, because } = result
  const isTold = ['fail', 'warn', 'error'].includes(outcome)
  const seen = outcome === 'pass' ? '' : detail
  return html`<tr><td>${isTold ? html`<a href="#check-${id}">${name}</a>` : name}</td>
<td>${badge(outcome)}${because !== null && html` <span class="because">${because}</span>`}</td>
${beside.map((column) => html`<td>${besideBadge(column.checks.get(id))}</td>`)}
<td class="seen">${clipped(seen, shownDetail)}</td>
<td class="number">${requests}</td></tr>`
}

const besideBadge = (result: CheckResult | undefined): Markup =>
  result ? badge(result.outcome) : html`<span class="quiet">not asked</span>`
