// Failures, errors and warnings: the sentence, what was expected, what came, how to see it again.

import { count } from '../../engine/count.ts'
import type { CheckResult, RunFile } from '../../engine/run-file.ts'
import { againOf, tellVariables } from '../again.ts'
import type { KnownVerdict } from '../known.ts'
import { sentenceOfCheck } from '../sentences.ts'
import { type Cutter, exchangeView } from './exchange-view.ts'
import { clipped, html, lines, type Markup, prose } from './markup.ts'
import { badge, command, levelChip } from './signs.ts'

interface Told {
  readonly run: RunFile
  readonly known: KnownVerdict
  readonly cutter: Cutter
}

/** Newly broken first, and what is known to be broken last. */
export const failures = (told: Told): Markup | false => {
  const { run, known } = told
  const broken = run.checks.filter(({ outcome }) => outcome === 'fail' || outcome === 'error')
  if (broken.length === 0) return false
  const ordered = broken.toSorted(
    (a, b) => Number(known.excused.has(a.id)) - Number(known.excused.has(b.id)),
  )
  const toSet = tellVariables(run)
  return html`<section id="failures"><h2>Failures</h2>
<p class="intro">Each is a sentence of the interface that the target was seen to break, with the
request that shows it.${
    broken.some(({ outcome }) => outcome === 'error') &&
    html` An error is of petvet or the network, and says nothing about the target.`
  }</p>
${toSet !== '' && html`<p class="intro">${prose(toSet)}.</p>`}
${ordered.map((result) => card(result, told, true))}</section>`
}

export const warnings = (told: Told): Markup | false => {
  const found = told.run.checks.filter(({ outcome }) => outcome === 'warn')
  if (found.length === 0) return false
  return html`<section id="warnings"><h2>Warnings</h2>
<p class="intro">HTTP or plain prudence asks for these; the document does not, so they change no
verdict.</p>
${found.map((result) => card(result, told, false))}</section>`
}

const card = (result: CheckResult, told: Told, open: boolean): Markup => {
  const { says, section } = sentenceOfCheck(result)
  const excuse = told.known.excused.get(result.id)
  return html`<article class="card ${result.outcome}" id="check-${result.id}">
<details${open && excuse === undefined && html` open`}>
<summary class="card-top"><span class="card-head">${badge(result.outcome)}${levelChip(result.level)}
<span class="where">${section}</span></span>
<h3>${prose(says)}</h3><code class="id">${result.id}</code></summary>
<div class="card-body">
${excuse !== undefined && html`<p class="excuse"><b>Known</b> ${excuse}</p>`}
${expectation(result)}${evidence(result, told.cutter)}
${command('check again', againOf(told.run, result))}</div></details></article>`
}

/** What the checks say themselves is short; a file of another hand may hold anything. */
const longLine = 2_000
const longDetail = 8_000

const smallest = /^(.*) \(smallest value found: (.*)\)$/s

/** What a property found is told beside the value that shows it. */
export const expectation = ({ expected, actual, detail }: CheckResult): Markup => {
  if (expected === undefined)
    return html`<pre class="detail">${lines(clipped(detail, longDetail))}</pre>`
  const [, seen = actual ?? '', value] = smallest.exec(actual ?? '') ?? []
  return html`<dl class="expectation">
<div class="expected"><dt>Expected</dt><dd>${clipped(expected, longLine)}</dd></div>
<div class="actual"><dt>Actual</dt><dd>${clipped(seen, longLine)}</dd></div>
${
  value !== undefined &&
  html`<div><dt>Smallest case</dt><dd><code>${clipped(value, longLine)}</code></dd></div>`
}
</dl>`
}

/** The last exchange shows the breach; those before it led to it, or are the control beside it. */
const evidence = ({ evidence: all }: CheckResult, cutter: Cutter): Markup | false => {
  const last = all.at(-1)
  if (last === undefined) return false
  const before = all.slice(0, -1)
  const shown = exchangeView(last, cutter)
  return html`<h4>The exchange</h4>${shown}
${
  before.length > 0 &&
  html`<details class="before">
    <summary>${count(before.length, 'exchange', 'exchanges')} before it</summary>
    ${before.map((each) => exchangeView(each, cutter))}</details>`
}`
}
