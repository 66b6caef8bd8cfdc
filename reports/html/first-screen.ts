// The first screen: the verdict, what was decided, what failed in a line each, and what was run.
import type { Outcome } from '../../suites/kit/outcome.ts'
import type { CheckResult, RunFile } from '../../suites/kit/run-file.ts'
import type { KnownVerdict } from '../known.ts'
import { sentenceOfCheck } from '../sentences.ts'
import { count, wordOf } from '../verdict-line.ts'
import { bars } from './bars.ts'
import { facts } from './facts.ts'
import { capital, html, type Markup, prose } from './markup.ts'
import { sign } from './signs.ts'

export const firstScreen = (run: RunFile, known: KnownVerdict): Markup => html`<header class="top">
<p class="maker"><span class="mark">petvet</span>
${run.load ? 'Load report' : 'Conformance report'}</p>
<div class="verdict ${toneOf(run)}">
<svg class="seal" aria-hidden="true" focusable="false"><use href="#sign-${toneOf(run)}"/></svg>
<div><h1>${capital(wordOf(run))}</h1>
<p class="lead">${leadOf(run, known)}</p></div></div>
<div class="summary"><div>${bars(run)}${failures(run, known)}${staleLines(known)}${notes(run)}</div>
${facts(run)}</div>
</header>`

/** The outcome whose colour and shape the verdict has. */
const toneOf = ({ verdict, interrupted }: RunFile): Outcome => {
  if (verdict === 'not-conformant') return 'fail'
  if (verdict === 'error') return 'error'
  return verdict === 'conformant' && !interrupted ? 'pass' : 'untested'
}

const staleWords = ['line of the known failures is', 'lines of the known failures are'] as const

const leadOf = (run: RunFile, { excused, stale }: KnownVerdict): string => {
  const broken = run.requirements.filter(
    ({ level, outcome }) => level === 'must' && outcome === 'fail',
  ).length
  const { must, should } = run.decided
  const told = [
    ...(run.interrupted ? ['The run was interrupted; this is what it had seen by then.'] : []),
    ...(run.impossible === null ? [] : [`${run.impossible}.`]),
    ...(broken > 0
      ? [`The server breaks ${count(broken, 'must', 'musts')} of the interface.`]
      : []),
    ...(broken === 0 && must[0] > 0 ? ['Nothing that was decided is broken.'] : []),
    `${must[0]} of ${must[1]} musts and ${should[0]} of ${should[1]} shoulds were decided.`,
    ...(excused.size > 0
      ? [`${count(excused.size, 'failure is', 'failures are')} known beforehand.`]
      : []),
    ...(stale.size > 0 ? [`${count(stale.size, ...staleWords)} stale.`] : []),
  ]
  return told.join(' ')
}

const shownFailures = 12

const failures = (run: RunFile, { excused }: KnownVerdict): Markup => {
  const broken = run.checks.filter(
    ({ id, outcome }) => (outcome === 'fail' || outcome === 'error') && !excused.has(id),
  )
  const nothingNew = excused.size > 0 ? 'Nothing but what is known.' : 'No check failed.'
  const warnings = run.checks.filter(({ outcome }) => outcome === 'warn').length
  const left = broken.length - shownFailures
  const list = html`<ol class="failed">${broken.slice(0, shownFailures).map(failedLine)}
${
  left > 0 && html`<li class="more">and ${left} more, <a href="#failures">further down</a></li>`
}</ol>`
  return html`<section aria-labelledby="failed-title"><h2 id="failed-title">What failed</h2>
${broken.length > 0 ? list : html`<p class="quiet">${nothingNew}</p>`}
${
  warnings > 0 &&
  html`<p class="quiet">Beside it, <a href="#warnings">${count(warnings, 'warning', 'warnings')}</a>
    where a should is not kept.</p>`
}</section>`
}

const staleLines = ({ stale }: KnownVerdict): Markup | false =>
  stale.size > 0 &&
  html`<section aria-labelledby="stale-title">
<h2 id="stale-title">Lines to take out of the known failures</h2>
<ul class="failed">${[...stale].map(
    ([id, why]) =>
      html`<li class="fail">${sign('fail')}<span>${why}</span> <code>${id}</code></li>`,
  )}</ul></section>`

const notes = ({ notes: all }: RunFile): Markup | false =>
  all.length > 0 &&
  html`<section aria-labelledby="notes-title"><h2 id="notes-title">Notes</h2>
<ul class="notes">${all.map((note) => html`<li>${note}</li>`)}</ul></section>`

const failedLine = (result: CheckResult): Markup => html`<li class="${result.outcome}">
${sign(result.outcome)}<a href="#check-${result.id}">${prose(sentenceOfCheck(result).says)}</a>
<code>${result.id}</code></li>`
