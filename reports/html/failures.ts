// Failures, errors and warnings: the requirement, expected and actual, the exchanges, the command.

import type { CheckResult, Evidence, RunFile } from '../../engine/check/run-file.ts'
import { count } from '../../history/quote.ts'
import {
  describeFailure,
  type FailureGroup,
  groupFailures,
  newFailures,
  resending,
} from '../failure.ts'
import { beforePasting } from '../reproduce.ts'
import type { Source } from '../summary.ts'
import { cut } from '../visible.ts'
import * as ui from './markup.ts'
import { html, type Markup } from './markup.ts'

interface Report extends Source {
  /** The cards so far: a check of several headlines has several. */
  readonly cards?: Set<string>
}

/** Where the failure of a headline is shown. */
export const anchorOf = ({ show, cause }: FailureGroup): string =>
  `check-${show.id}${cause?.finding === undefined ? '' : `-${cause.finding}`}`

/** As many as are read before the first is fixed; the others are folded. */
const maxOpen = 5

/** By headline, the most severe first; then new failures without one, then known ones. */
export const failures = (given: Report): Markup | false => {
  const { run, known } = given
  const report = { ...given, cards: new Set<string>() }
  const failed = run.checks.filter(({ outcome }) => outcome === 'fail' || outcome === 'error')
  if (failed.length === 0) return false
  const excused = failed.filter(({ id }) => known.excused.has(id))
  const { groups: found, summary } = newFailures(run, known)
  const groups = [...found, ...groupFailures(excused)]
  const shown = groups.filter(({ cause }, at) => cause !== undefined || at < maxOpen)
  const rest = groups.filter((group) => !shown.includes(group)).map(({ show }) => show)
  const exports = beforePasting(run)
  return html`<section id="failures"><h2>Failed checks</h2>
<p class="intro">Each is a check that found a requirement violated, with the request that shows
it.${
    failed.some(({ outcome }) => outcome === 'error') &&
    html` An error is a fault of petvet or the network, and says nothing about the target.`
  }</p>
${exports !== '' && html`<p class="intro">${ui.prose(exports)}.</p>`}
${summary !== '' && html`<p class="causes">${summary}.</p>`}
${shown.map((group, at) => groupView(group, report, at < maxOpen))}
${folded(rest, report, shown.length > 0 ? 'more ' : '')}</section>`
}

const folded = (results: readonly CheckResult[], report: Report, more: string): Markup | false =>
  results.length > 0 &&
  html`<details class="before">
<summary>${count(results.length, `${more}failure`, `${more}failures`)}
</summary>${results.map((result) => card(result, report, false))}</details>`

/** A headline with one failure, and the others behind a line. */
const groupView = (group: FailureGroup, report: Report, isOpen: boolean): Markup => {
  const { cause, says, show, others, blocked } = group
  const shown = card(show, report, isOpen, anchorOf(group))
  if (cause === undefined) return shown
  return html`<section class="cause">
<h3 class="cause-title">${ui.prose(says)}</h3>
${blocked !== '' && html`<p class="quiet">Untested because of it: ${blocked}</p>`}
${shown}${folded(others, report, 'more ')}</section>`
}

export const warnings = (report: Report): Markup | false => {
  const found = report.run.checks.filter(({ outcome }) => outcome === 'warn')
  if (found.length === 0) return false
  return html`<section id="warnings"><h2>Warnings</h2>
<p class="intro">Each is a check that found a should violated: a requirement of HTTP or of prudence,
not of the interface. Warnings do not change the verdict.</p>
${found.map((result) => card(result, report, false))}</section>`
}

const card = (
  result: CheckResult,
  report: Report,
  open: boolean,
  anchor = `check-${result.id}`,
): Markup => {
  const { says, place, reproduce } = describeFailure(report.run, result)
  const excuse = report.known.excused.get(result.id)
  const isFirst = !report.cards?.has(anchor)
  report.cards?.add(anchor)
  return html`<article class="card ${result.outcome}"${isFirst && html` id="${anchor}"`}>
<details${open && excuse === undefined && html` open`}>
<summary class="card-top">
<span class="card-head">${ui.badge(result.outcome)}${ui.levelChip(result.level)}
<span class="where">${place}</span></span>
<h3>${ui.prose(says)}</h3><code class="id">${result.id}</code></summary>
<div class="card-body">
${excuse !== undefined && html`<p class="excuse"><b>Known</b> ${excuse}</p>`}
${expectation(result)}${evidence(result, report)}
${ui.command('command to reproduce', reproduce)}</div></details></article>`
}

/** The texts of our checks are shorter; a run file of another origin may hold anything. */
const shortened = (text: string): string => ui.clipped(text, 8_000)

/** What was expected and seen. */
export const expectation = (result: CheckResult): Markup => {
  const { expected, actual, fix, detail } = result
  if (expected === undefined) return html`<pre class="detail">${ui.lines(shortened(detail))}</pre>`
  return html`<dl class="expectation">
<div class="expected"><dt>Expected</dt><dd>${ui.prose(shortened(`${expected}`))}</dd></div>
<div class="actual"><dt>Actual</dt><dd>${shortened(`${actual ?? ''}`)}</dd></div>
${fix !== undefined && html`<div class="fix"><dt>Fix</dt><dd>${shortened(fix)}</dd></div>`}
</dl>`
}

/** The last exchange shows the violation; earlier ones led to it, or are its control. */
const evidence = ({ evidence: all }: CheckResult, report: Report): Markup | false => {
  const [last, ...before] = all.toReversed().map((each) => exchangeView(each, report))
  if (last === undefined) return false
  const title = `${count(before.length, 'exchange', 'exchanges')} before it`
  return html`<h4>The exchange</h4>${last}
${
  before.length > 0 &&
  html`<details class="before"><summary>${title}</summary>
    ${before.toReversed()}</details>`
}`
}

const maxHeaderCharacters = 600
const maxCommandCharacters = 6_000

const maxBodyCharacters = 2_000

const exchangeView = (evidence: Evidence, { run }: Report): Markup => {
  const { request, response, seq, noResponse } = evidence
  return html`<div class="exchange">
<div class="side"><h5>Request</h5>
<p class="line"><b>${request.method}</b> ${cutLine(request.url)}</p>
${headersView(request.headers)}${bodyView(request, seq)}</div>
<div class="side"><h5>Response</h5>${
    response
      ? html`${request.method !== 'DNS' && html`<p class="line"><b>${response.status}</b></p>`}
${headersView(response.headers)}${bodyView(response, seq)}`
      : html`<p class="line">no complete response: ${noResponse ?? 'for an unknown reason'}</p>`
  }</div></div>
${commandView(run, evidence)}`
}

const headersView = (headers: Evidence['request']['headers']): Markup | false =>
  headers.length > 0 &&
  html`<table class="headers"><tbody>${headers.map(
    ([name, value]) =>
      html`<tr><th scope="row">${cutLine(name)}</th><td>${cutLine(value)}</td></tr>`,
  )}</tbody></table>`

const cutLine = (text: string): string => ui.clipped(text, maxHeaderCharacters)

type Body = Pick<NonNullable<Evidence['response']>, 'bodyBase64' | 'bodyBytes'> & {
  readonly body: string | null
  readonly padding?: number
}

const bodyView = ({ body, bodyBase64, bodyBytes, padding }: Body, seq: number): Markup => {
  if (body === null || body === '') return html`<p class="quiet">No body.</p>`
  const left = Math.max(0, body.length - maxBodyCharacters)
  const whole = html`<code>exchanges.ndjson</code>, <code>seq</code> ${seq}`
  const leftOut = `${ui.grouped(left)} of ${ui.grouped(body.length)} characters are left out`
  const isBeginning = bodyBytes !== undefined
  const notes = [
    padding !== undefined && html`Before it: ${ui.grouped(padding)} spaces.`,
    isBeginning &&
      html`Only the beginning of ${ui.grouped(bodyBytes)} bytes is shown;
the whole body is in ${whole}.`,
    !isBeginning && left > 0 && html`${leftOut}; the whole body is in ${whole}.`,
    bodyBase64 !== undefined && html`This body is not UTF-8; its bytes are in ${whole}.`,
  ]
  const shown = ui.lines(cut(body, maxBodyCharacters))
  return html`<pre class="body" tabindex="0"><code>${shown}</code></pre>
${notes.map((note) => note && html`<p class="left-out">${note}</p>`)}`
}

export const commandView = (run: RunFile, evidence: Evidence): Markup => {
  const { seq, together } = evidence
  const { sent, commands } = resending(run, evidence)
  const lines = commands.join('\n')
  if (lines.length <= maxCommandCharacters) {
    return ui.command(
      `${together ? 'script' : `${lines.split(' ')[0]} command`}${sent && `: sent ${sent}`}`,
      lines,
    )
  }
  return html`<p class="left-out">The command for it has ${ui.grouped(lines.length)} characters; it
    is in <code>run.json</code>, in the evidence with <code>seq</code> ${seq}.</p>`
}
