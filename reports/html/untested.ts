// What was not tested, why, and what to do about it.

import { type Because, reasons } from '../../engine/outcome.ts'
import { count } from '../../engine/record/text.ts'
import type { RunFile } from '../../engine/run-file.ts'
import { requirement, requirementIds } from '../../spec/requirements.ts'
import { requirementOfCheck } from '../requirements.ts'
import { remedies, type UntestedGroup, untestedGroups } from '../untested.ts'
import { clipped, html, levelChip, type Markup, prose, table, words } from './markup.ts'

export const untested = (run: RunFile): Markup => {
  const number = run.checks.filter(({ outcome }) => outcome === 'untested').length
  const groups = Map.groupBy(untestedGroups(run.checks), ({ because }) => because)
  const intro =
    number === 0
      ? 'Every check that applies to this target was tested.'
      : `${count(number, 'check', 'checks')} ended without a result. None counts as passed.`
  return html`<section id="untested"><h2>What was not tested</h2>
<p class="intro">${intro}</p>
${reasons.map((because) => reasonPart(because, groups.get(because) ?? []))}
${untestable(run)}</section>`
}

const reasonPart = (because: Because, groups: readonly UntestedGroup[]): Markup | false => {
  if (groups.length === 0) return false
  const { what, remedy } = remedies[because]
  const all = groups.reduce((sum, { checks }) => sum + checks.length, 0)
  return html`<div class="untested-group"><h3>${what} <span class="count">${all}</span></h3>
<p class="remedy">${prose(remedy)}</p>
${groups.map(groupPart)}</div>`
}

const maxUnfolded = 6

/** What is missing once, and the checks that miss it below. */
const groupPart = ({ detail, checks }: UntestedGroup): Markup =>
  folded(html`<span class="seen">${clipped(detail, 600)}</span>`, checks.length <= maxUnfolded, {
    label: 'Untested checks',
    headings: ['Check', 'Level', 'Requirement'],
    rows: checks.map(
      (result) => html`<tr><td><code>${result.id}</code></td><td>${levelChip(result.level)}</td>
<td>${prose(requirementOfCheck(result).says)}</td></tr>`,
    ),
  })

interface Rows {
  readonly label: string
  readonly headings: readonly string[]
  readonly rows: readonly Markup[]
}

const folded = (title: Markup, isOpen: boolean, { label, headings, rows }: Rows): Markup =>
  html`<details class="lack"${isOpen && html` open`}><summary>${title}
<span class="count">${rows.length}</span></summary>
${table({
  label,
  headings: headings.map(words),
  body: html`<tbody>${rows}</tbody>`,
  className: 'lacks',
})}</details>`

/** Requirements that no request can test: listed, so that nobody believes them tested. */
const untestable = (run: RunFile): Markup | false => {
  const tested = new Set<string>(run.requirements.map(({ id }) => id))
  const rest = requirementIds.flatMap((id) => {
    const { says, section, untestable: reason, planned } = requirement(id)
    const why = reason ?? (planned === undefined ? undefined : `For ${planned}.`)
    return tested.has(id) || why === undefined ? [] : [{ says, section, why }]
  })
  if (rest.length === 0) return false
  return folded(html`<h3>Not testable by requests to the API</h3>`, false, {
    label: 'Requirements that no request can test',
    headings: ['Requirement', 'Where', 'Why'],
    rows: rest.map(
      ({ says, section, why }) =>
        html`<tr><td>${prose(says)}</td><td class="where">${section}</td><td>${why}</td></tr>`,
    ),
  })
}
