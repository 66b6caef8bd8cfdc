// The domains of a run: a row for each, with what is wrong and what to change.

import { listDomains } from '../domain-table.ts'
import type { Source } from '../summary.ts'
import * as ui from './markup.ts'
import { html, type Markup } from './markup.ts'

export const domains = (source: Source): Markup | false => {
  const rows = listDomains(source)
  return (
    rows.length > 0 &&
    html`<section id="domains"><h2>Domains</h2>
<p class="intro">Each domain with the check that decides its outcome, and what to change.</p>
${ui.table({
  label: 'Domains',
  headings: ['Domain', 'Outcome', 'Seen', 'Fix'],
  body: html`<tbody>${rows.map(domainRow)}</tbody>`,
  className: 'domains',
})}</section>`
  )
}

const domainRow = ({
  host,
  outcome,
  isKnown,
  check,
  says,
  fix,
}: ReturnType<typeof listDomains>[number]) => {
  const seen = ui.clipped(says, 600)
  const isShown = outcome === 'fail' || outcome === 'warn' || outcome === 'error'
  return html`<tr><th scope="row">${host}</th>
<td>${ui.badge(outcome, isKnown ? 'Known' : undefined)}</td>
<td class="seen">${isShown ? html`<a href="#check-${check}">${seen}</a>` : seen}</td>
<td class="seen">${ui.clipped(fix, 600)}</td></tr>`
}
