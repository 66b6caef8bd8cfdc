// Every requirement of the run by the headings of the interface, filterable; the observations; and
// what was not tested, and why.

import type { CheckResult, RequirementResult, RunFile } from '../../engine/check/run-file.ts'
import type { Outcome } from '../../history/outcome.ts'
import { count } from '../../history/quote.ts'
import { byHeading, namedRequirement, placeInInterface } from '../by-heading.ts'
import { listBaselines, partsById, type UntestedGroup, untestedGroups } from '../summary.ts'
import * as ui from './markup.ts'
import { html, type Markup } from './markup.ts'

/** A server with its results: first the target's, then those of the baselines. */
interface Column {
  readonly title: string
  readonly results: ReadonlyMap<string, CheckResult>
}

export const requirements = (run: RunFile): Markup => {
  const parts = partsById(run)
  const columns = [{ title: 'Outcome', run }, ...listBaselines(run)].map((each): Column => {
    const results = new Map(each.run.checks.map((result) => [result.id, result]))
    return { title: each.title, results }
  })
  const row = (result: RequirementResult) => requirementRow(result, parts.get(result.id), columns)
  return html`<section id="requirements" data-filtered><h2>Requirements</h2>
<p class="intro">Each requirement that this run covers, with the worst outcome of its checks. A
check with a dash under Requests sent none: it is judged on the requests of other checks.</p>
${filters(run.requirements)}
<p class="empty" hidden data-empty>No requirement matches.</p>
${[...byHeading(run.requirements)].map(
  ([heading, own]) => html`<details class="group" data-group${needsReading(own) && html` open`}>
<summary><h3>${heading}</h3>${outcomesOf(own)}</summary>
<ul class="rows">${own.map(row)}</ul></details>`,
)}</section>`
}

const needsReading = (results: readonly { readonly outcome: Outcome }[]): boolean =>
  results.some(({ outcome }) => ['fail', 'error', 'warn'].includes(outcome))

/** `21 passed, 2 untested`, with their signs. */
const outcomesOf = (own: readonly RequirementResult[]): Markup =>
  html`<span class="outcomes">${count(own.length, 'requirement', 'requirements')}:
${ui
  .tally(own)
  .map((each) => html`<span class="${each.outcome}">${ui.counted(each)}</span>`)}</span>`

/** Shown only if scripts run. */
const filters = (all: readonly RequirementResult[]): Markup => {
  const levels = new Set(all.map(({ level }) => level))
  return html`<form class="filters" role="search" hidden data-filters>
<fieldset><legend>${all.length} requirements by outcome</legend>${ui
    .tally(all)
    .map(({ outcome, number, words }) =>
      choice('outcome', outcome, html`${ui.sign(outcome)}${words} <b>${number}</b>`),
    )}</fieldset>
<fieldset><legend>By level</legend>${(['must', 'should', 'open'] as const).map(
    (level) => levels.has(level) && choice('level', level, html`${level}`),
  )}</fieldset>
<div class="search"><label for="filter-text">Words</label>
<input id="filter-text" type="search" name="text" autocomplete="off"
placeholder="requirement, id or check"></div>
<p class="shown"><output data-shown>${count(all.length, 'requirement', 'requirements')}</output>
<button type="reset">Show all</button></p>
</form>`
}

const choice = (name: string, value: string, label: Markup): Markup =>
  html`<label class="choice ${value}"><input type="checkbox" name="${name}" value="${value}">
    ${label}</label>`

const requirementRow = (
  result: RequirementResult,
  part: ReturnType<ReturnType<typeof partsById>['get']>,
  columns: readonly Column[],
) => {
  const requirement = namedRequirement(result)
  const { id, outcome, level, checks } = result
  return html`<li class="row" data-row data-outcome="${outcome}" data-level="${level}">
<details><summary>${ui.badge(outcome, part && 'Partly tested')}
<span class="says">${ui.prose(requirement.says)}</span>
${ui.levelChip(level)}</summary>
<div class="row-body"><p class="where">${placeInInterface(requirement)} · <code>${id}</code></p>
${
  part &&
  html`<p class="part">Partly tested: ${count(part.passed, 'check', 'checks')} passed.
Does not apply: ${ui.prose(part.missing.join('; '))}.</p>`
}
${ui.table({
  label: `Checks of ${id}`,
  headings: ['Check', ...columns.map(({ title }) => title), 'Seen', 'Requests'],
  isNumber: (column) => column === columns.length + 2,
  body: html`<tbody>${checks.map((each) => checkRow(each, columns))}</tbody>`,
  className: 'checks',
})}</div></details></li>`
}

const checkRow = (id: string, columns: readonly Column[]): Markup => {
  const name = html`<code>${id}</code>`
  const [result, ...others] = columns.map(({ results }) => results.get(id))
  if (!result) return html`<tr><td>${name}</td></tr>`
  const { outcome, requests, because, detail } = result
  const isJudged = outcome !== 'inapplicable' && outcome !== 'untested'
  const word = because === null ? undefined : `Untested: ${because}`
  const named = needsReading([result]) ? html`<a href="#check-${id}">${name}</a>` : name
  return html`<tr><td>${named}</td>
<td>${ui.badge(outcome, word)}</td>
${others.map(
  (other) =>
    html`<td>${other ? ui.badge(other.outcome) : html`<span class="quiet">not run</span>`}</td>`,
)}
<td class="seen">${outcome !== 'pass' && ui.clipped(detail, 600)}</td>
<td class="number">${requests === 0 && isJudged ? '–' : requests}</td></tr>`
}

export const observations = (run: RunFile): Markup | false => {
  const observed = run.checks.filter(({ outcome }) => outcome === 'observed')
  if (observed.length === 0) return false
  const baselines = listBaselines(run)
  const groups = [...byHeading(observed)].map(
    ([heading, own]) => html`<tbody>
<tr class="heading"><th colspan="${2 + baselines.length}" scope="rowgroup">${heading}</th></tr>
${own.map((check) => observationRow(check, baselines))}</tbody>`,
  )
  return html`<section id="observations">
<h2>What this server does where the interface is silent</h2>
<p class="intro">The interface leaves these open, so no behaviour is wrong. A client that relies on
one of them relies on this server. A number alone is the status of the response.</p>
${ui.table({
  label: 'Observations',
  headings: ['Left open', 'Seen here', ...baselines.map(({ title }) => title)],
  body: groups,
  className: 'observations',
})}</section>`
}

const observationRow = (
  check: CheckResult,
  baselines: ReturnType<typeof listBaselines>,
): Markup => html`<tr><th scope="row">${ui.prose(namedRequirement(check).says)}
<code class="id">${check.id}</code></th>
<td class="seen">${ui.clipped(check.detail, 400)}</td>
${baselines.map(({ run }) => {
  const value = run.observations[check.id] ?? 'not run'
  return html`<td class="seen baseline">${ui.clipped(value, 400)}</td>`
})}</tr>`

export const untested = (run: RunFile): Markup => {
  const groups = untestedGroups(run.checks)
  const number = groups.reduce((sum, { checks }) => sum + checks.length, 0)
  const intro =
    number === 0
      ? 'Every check that applies to this target was tested.'
      : `${count(number, 'check', 'checks')} ended without a result. None counts as passed.`
  return html`<section id="untested"><h2>What was not tested</h2>
<p class="intro">${intro}</p>
${
  number > 0 &&
  ui.table({
    label: 'Untested checks',
    headings: ['Checks', 'Why', 'Ids of the checks'],
    isNumber: (column) => column === 0,
    body: html`<tbody>${groups.map(groupRow)}</tbody>`,
    className: 'lacks',
  })
}</section>`
}

const maxUnfolded = 2

const groupRow = ({ because, detail, checks }: UntestedGroup): Markup => {
  const ids = html`<ul>${checks.map(({ id }) => html`<li><code>${id}</code></li>`)}</ul>`
  return html`<tr><td class="number">${checks.length}</td>
<td class="seen">${because}: ${ui.prose(ui.clipped(detail, 600))}</td>
<td>${
    checks.length <= maxUnfolded
      ? ids
      : html`<details><summary>${checks.length} checks</summary>${ids}</details>`
  }</td></tr>`
}
