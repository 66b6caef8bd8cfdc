// What was not tested, why, and what to do about it.
import type { Because } from '../../engine/outcome.ts'
import { count } from '../../engine/record/text.ts'
import type { RunFile } from '../../engine/run-file.ts'
import { requirement, requirementIds } from '../../spec/requirements.ts'
import { placeOf } from '../requirements.ts'
import { remedies, type UntestedGroup, untestedGroups } from '../untested.ts'
import { clipped, html, type Markup, prose, table } from './markup.ts'

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
  table({
    label: 'Untested checks',
    headings: ['Checks', 'Why', 'Ids of the checks'],
    isNumber: (column) => column === 0,
    body: [...Map.groupBy(groups, ({ because }) => because)].map(reasonRows),
    className: 'lacks',
  })
}
${untestable(run)}</section>`
}

/** What is missing and what to do about it, once; each detail below. */
const reasonRows = ([because, groups]: [Because, readonly UntestedGroup[]]): Markup => {
  const { what, remedy } = remedies[because]
  return html`<tbody><tr class="heading"><th colspan="3" scope="rowgroup">${what}
<p class="remedy">${prose(remedy)}</p></th></tr>${groups.map(groupRow)}</tbody>`
}

const maxUnfolded = 2

const groupRow = ({ detail, checks }: UntestedGroup): Markup => {
  const ids = html`<ul>${checks.map(({ id }) => html`<li><code>${id}</code></li>`)}</ul>`
  return html`<tr><td class="number">${checks.length}</td>
<td class="seen">${prose(clipped(detail, 600))}</td>
<td>${
    checks.length <= maxUnfolded
      ? ids
      : html`<details><summary>${checks.length} checks</summary>${ids}</details>`
  }</td></tr>`
}

/** Requirements that no request can test: listed, so that nobody believes them tested. */
const untestable = (run: RunFile): Markup | false => {
  const tested = new Set<string>(run.requirements.map(({ id }) => id))
  const rest = requirementIds.flatMap((id) => {
    const own = requirement(id)
    const { says, untestable: reason, planned } = own
    const why = reason ?? (planned === undefined ? undefined : `For ${planned}.`)
    return tested.has(id) || why === undefined ? [] : [{ says, place: placeOf(own), why }]
  })
  if (rest.length === 0) return false
  return html`<details class="lack"><summary><h3>Not testable by requests to the API</h3>
<span class="count">${rest.length}</span></summary>
${table({
  label: 'Requirements that no request can test',
  headings: ['Requirement', 'Where', 'Why'],
  body: html`<tbody>${rest.map(
    ({ says, place, why }) =>
      html`<tr><td>${prose(says)}</td><td class="where">${place}</td><td>${prose(why)}</td></tr>`,
  )}</tbody>`,
  className: 'lacks',
})}</details>`
}
