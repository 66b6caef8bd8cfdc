// The first screen: the verdict, what was decided, what failed in a line each, and what was run.

import { count } from '../../engine/count.ts'
import type { Outcome } from '../../engine/outcome.ts'
import type { CheckResult, RunFile } from '../../engine/run-file.ts'
import { wholeAgain } from '../again.ts'
import type { KnownVerdict } from '../known.ts'
import { lacksOf } from '../reasons.ts'
import { sentenceOfCheck } from '../sentences.ts'
import { wordOf } from '../verdict-line.ts'
import { bars } from './bars.ts'
import { commandView } from './exchange-view.ts'
import { facts } from './facts.ts'
import { expectation } from './failures.ts'
import { capital, clipped, html, type Markup, prose } from './markup.ts'
import { command, sign } from './signs.ts'

export const firstScreen = (run: RunFile, known: KnownVerdict): Markup => html`<header class="top">
<p class="maker"><span class="mark">petvet</span>
${run.load ? 'Load report' : 'Conformance report'}</p>
<div class="verdict ${toneOf(run)}">
<svg class="seal" aria-hidden="true" focusable="false"><use href="#sign-${toneOf(run)}"/></svg>
<div><h1>${capital(wordOf(run))}</h1>
<p class="lead">${leadOf(run, known)}</p></div></div>
<div class="summary"><div>${bars(run)}${failures(run, known)}${again(run)}
${listed(known)}${notes(run)}</div>
${facts(run)}</div>
</header>`

/** The outcome whose colour and shape the verdict has. */
const toneOf = ({ verdict, interrupted }: RunFile): Outcome => {
  if (verdict === 'not-conformant') return 'fail'
  if (verdict === 'error') return 'error'
  return verdict === 'conformant' && !interrupted ? 'pass' : 'untested'
}

const staleWords = ['line of the known failures is', 'lines of the known failures are'] as const

const leadOf = (run: RunFile, { excused, stale, moved }: KnownVerdict): string => {
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
    ...(run.verdict === 'undecided' ? whyUndecided(run) : []),
    ...(excused.size > 0
      ? [`${count(excused.size, 'failure is', 'failures are')} known beforehand.`]
      : []),
    ...(stale.size > 0 ? [`${count(stale.size, ...staleWords)} stale.`] : []),
    ...(moved?.size ? [`${count(moved.size, 'pinned answer', 'pinned answers')} changed.`] : []),
  ]
  return told.join(' ')
}

/** What most of the musts that were left wait for. */
const whyUndecided = ({ checks }: RunFile): string[] => {
  const held = checks.filter(({ level, because }) => level === 'must' && because !== null)
  const [most] = lacksOf(held)
  if (most === undefined) return []
  const waiting = count(most.checks.length, 'check waits', 'checks wait')
  return [`${waiting} for this: ${clipped(most.detail, 300)}.`]
}

const shownFailures = 12

const failures = (run: RunFile, { excused }: KnownVerdict): Markup | false => {
  const broken = run.checks.filter(
    ({ id, outcome }) => (outcome === 'fail' || outcome === 'error') && !excused.has(id),
  )
  // Where nothing could be asked, that no check failed would say too much.
  if (run.impossible !== null && broken.length === 0) return false
  const nothingNew = excused.size > 0 ? 'Nothing but what is known.' : 'No check failed.'
  const warnings = run.checks.filter(({ outcome }) => outcome === 'warn').length
  const left = broken.length - shownFailures
  const list = html`<ol class="failed">
${broken.slice(0, shownFailures).map((result, at) => failedLine(result, at === 0))}
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

/** A run that was not held, or not to its end, is to be held again. */
const again = (run: RunFile): Markup | false =>
  (run.impossible !== null || run.interrupted) &&
  html`<section aria-labelledby="again-title"><h2 id="again-title">Hold it again</h2>
<div class="again">${command('whole run', wholeAgain(run))}</div></section>`

/** What a file of known failures has to say of the run, and the run of it. */
const listed = ({ stale, moved = new Map() }: KnownVerdict): Markup =>
  html`${listOf(
    'stale-title',
    'Lines to take out of the known failures',
    'fail',
    stale,
  )}${listOf('moved-title', 'Pinned observations that changed', 'warn', moved)}`

const listOf = (
  id: string,
  title: string,
  outcome: Outcome,
  texts: ReadonlyMap<string, string>,
): Markup | false =>
  texts.size > 0 &&
  html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
<ul class="failed">${[...texts].map(
    ([check, why]) =>
      html`<li class="${outcome}">${sign(outcome)}<span>${clipped(why, 600)}</span>
<code>${check}</code></li>`,
  )}</ul></section>`

const notes = ({ notes: all }: RunFile): Markup | false =>
  all.length > 0 &&
  html`<section aria-labelledby="notes-title"><h2 id="notes-title">Notes</h2>
<ul class="notes">${all.map((note) => html`<li>${note}</li>`)}</ul></section>`

/** The first one is the next to be mended, so it is told with what shows it. */
const failedLine = (result: CheckResult, isFirst: boolean): Markup => {
  const evidence = result.evidence.at(-1)
  return html`<li class="${result.outcome}">
${sign(result.outcome)}<a href="#check-${result.id}">${prose(sentenceOfCheck(result).says)}</a>
<code>${result.id}</code>
${
  isFirst &&
  html`<div class="first-failure">${expectation(result)}
${evidence && commandView(evidence)}</div>`
}</li>`
}
