// What the server does where the interface is silent: the question, and the answer that was seen.
import type { CheckResult, RunFile } from '../../engine/run-file.ts'
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
${bySentence(own).map((same) => sentenceRows(same, beside))}</tbody>`,
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

const bySentence = (seen: readonly Seen[]): Seen[][] => [
  ...Map.groupBy(seen, ({ id }) => id).values(),
]

type Beside = readonly (readonly [string, RunFile])[]

/** A sentence that several checks ask about stands once, and below it what each of them saw. */
const sentenceRows = (same: readonly Seen[], beside: Beside): Markup[] => {
  const says = prose(same[0] ? sentenceOfCheck(same[0].check).says : '')
  const alike = Map.groupBy(same, ({ check }) => JSON.stringify(valuesOf(check, beside)))
  if (alike.size === 1) return [...alike.values()].map((own) => valuesRow(own, says, beside))
  const head = html`<tr class="sentence"><th colspan="${2 + beside.length}" scope="rowgroup">${says}
</th></tr>`
  return [head, ...[...alike.values()].map((own) => valuesRow(own, null, beside))]
}

const valuesOf = ({ id, detail }: CheckResult, beside: Beside): string[] => [
  detail,
  ...beside.map(([, { observations: seen }]) => seen[id] ?? 'not asked'),
]

/** @param own checks that saw the same */
const valuesRow = (own: readonly Seen[], says: Markup | null, beside: Beside): Markup => {
  const [first] = own
  if (!first) return html``
  const [here = '', ...others] = valuesOf(first.check, beside)
  return html`<tr${says === null && html` class="of-sentence"`}><th scope="row">${says}
${own.map(({ check: { id } }) => html`<code class="id">${id}</code>`)}</th>
<td class="seen">${short(here)}</td>
${others.map((value) => html`<td class="seen beside">${short(value)}</td>`)}</tr>`
}

const shownMost = 400

const short = (text: string): string => clipped(text, shownMost)
