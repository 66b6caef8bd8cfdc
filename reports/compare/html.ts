// A comparison as a page of its own, in the frame of the report.
import { capital, html, type Markup } from '../html/markup.ts'
import { type Part, page } from '../html/page.ts'
import { table, words } from '../html/table.ts'
import { type Kind, kinds } from './comparison.ts'
import { type Compared, facts, headings, latencyLine, turn, verdictOf } from './words.ts'

const section = (id: string, title: string, count: number, content: Markup): Part => ({
  id,
  title,
  count,
  content: count > 0 && html`<section id="${id}"><h2>${title}</h2>${content}</section>`,
})

const changed = (compared: Compared, kind: Kind): Part => {
  const own = compared.changes[kind]
  return section(
    kind,
    headings[kind],
    own.length,
    table({
      label: headings[kind],
      headings: [words('Check'), words('Outcome'), words('Now')],
      body: own.map(
        (change) => html`<tr><th scope="row"><code>${change.id}</code>
<code class="id">${change.requirement}</code></th>
<td>${turn(change)}, ${change.level}</td><td>${change.detail.slice(0, 400)}</td></tr>`,
      ),
      className: 'changes',
    }),
  )
}

const observed = ({ observations }: Compared): Part =>
  section(
    'observations',
    'Observations that changed',
    observations.length,
    table({
      label: 'Observations that changed',
      headings: [words('Check'), words('Was'), words('Is')],
      body: observations.map(
        ({ id, was, is }) => html`<tr><th scope="row"><code>${id}</code></th>
<td>${was.slice(0, 400)}</td><td>${is.slice(0, 400)}</td></tr>`,
      ),
      className: 'changes',
    }),
  )

const timed = ({ latency }: Compared): Part =>
  section(
    'latency',
    'Latency',
    latency.length,
    table({
      label: 'Latency',
      headings: [words('What'), words('Was and is')],
      body: latency.map(
        (each) => html`<tr><th scope="row">${each.what}</th><td>${latencyLine(each)}</td></tr>`,
      ),
      className: 'changes',
    }),
  )

const unchanged = 'No sentence is kept or broken that was not before.'

const topOf = (compared: Compared): Markup => {
  const tone = compared.worse ? 'fail' : 'pass'
  const { changes, notes } = compared
  const told = (['newlyFailing', 'newlyWarning', 'newlyPassing', 'newlyUndecided'] as const)
    .filter((kind) => changes[kind].length > 0)
    .map((kind) => `${changes[kind].length} ${headings[kind].toLowerCase()}`)
  return html`<header class="top">
<p class="maker"><span class="mark">petvet</span> Comparison of two runs</p>
<div class="verdict ${tone}">
<svg class="seal" aria-hidden="true" focusable="false"><use href="#sign-${tone}"/></svg>
<div><h1>${capital(verdictOf(compared))}</h1>
<p class="lead">${told.join(', ') || unchanged}</p></div></div>
<div class="summary"><dl class="facts">${facts(compared).map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>
${
  notes.length > 0 &&
  html`<section aria-labelledby="notes-title"><h2 id="notes-title">Notes</h2>
<ul class="notes">${notes.map((text) => html`<li>${text}</li>`)}</ul></section>`
}</div></header>`
}

/** One self-contained file; a pure function of the comparison. */
export const compareHtml = (compared: Compared): string =>
  page({
    title: `petvet: ${verdictOf(compared)}`,
    top: topOf(compared),
    parts: [...kinds.map((kind) => changed(compared, kind)), observed(compared), timed(compared)],
    foot: html`petvet ${compared.new.petvet}`,
  })
