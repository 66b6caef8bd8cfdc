// What was not tested, why, and what would decide it.

import { count } from '../../engine/count.ts'
import { type Because, reasons } from '../../engine/outcome.ts'
import type { RunFile } from '../../engine/run-file.ts'
import { requirement, requirementIds } from '../../spec/requirements.ts'
import { deciders, type Lack, lacksOf } from '../reasons.ts'
import { sentenceOfCheck } from '../sentences.ts'
import { clipped, html, type Markup, prose } from './markup.ts'
import { levelChip } from './signs.ts'
import { table, words } from './table.ts'

export const untested = (run: RunFile): Markup => {
  const left = run.checks.filter(({ outcome }) => outcome === 'untested')
  const groups = [...Map.groupBy(lacksOf(run.checks), ({ because }) => because)].toSorted(
    ([a], [b]) => reasons.indexOf(a) - reasons.indexOf(b),
  )
  const intro =
    left.length === 0
      ? 'Every check that could be asked of this target was decided.'
      : `${count(left.length, 'check', 'checks')} ended without a decision. None counts as passed.`
  return html`<section id="untested"><h2>What was not tested</h2>
<p class="intro">${intro}</p>
${groups.map(([because, lacks]) => group(because, lacks))}
${unasked(run)}</section>`
}

const group = (because: Because, lacks: readonly Lack[]): Markup => {
  const { what, decides } = deciders[because]
  const all = lacks.reduce((sum, { checks }) => sum + checks.length, 0)
  return html`<div class="untested-group"><h3>${what} <span class="count">${all}</span></h3>
<p class="decides">${prose(decides)}</p>
${lacks.map(lackOf)}</div>`
}

/** What is missing stands once, and the checks that miss it below it. */
const lackOf = ({ detail, checks }: Lack): Markup =>
  folded(html`<span class="seen">${clipped(detail, 600)}</span>`, checks.length <= shortMost, {
    label: 'Checks that were not decided',
    headings: ['Check', 'Level', 'Sentence'],
    rows: checks.map(
      (result) => html`<tr><td><code>${result.id}</code></td><td>${levelChip(result.level)}</td>
<td>${prose(sentenceOfCheck(result).says)}</td></tr>`,
    ),
  })

/** So many are shown unasked. */
const shortMost = 6

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

/** Sentences that no request can decide: a reader should not believe them tested. */
const unasked = (run: RunFile): Markup | false => {
  const asked = new Set<string>(run.requirements.map(({ id }) => id))
  const rest = requirementIds.flatMap((id) => {
    const { says, section, untestable, planned } = requirement(id)
    const why = untestable ?? (planned === undefined ? undefined : `For ${planned}.`)
    return asked.has(id) || why === undefined ? [] : [{ id, says, section, why }]
  })
  if (rest.length === 0) return false
  const title = html`<h3>No request to the API can decide it</h3>`
  return folded(title, false, {
    label: 'Sentences that no request can decide',
    headings: ['Sentence', 'Where', 'Why'],
    rows: rest.map(
      ({ says, section, why }) =>
        html`<tr><td>${prose(says)}</td><td class="where">${section}</td><td>${why}</td></tr>`,
    ),
  })
}
