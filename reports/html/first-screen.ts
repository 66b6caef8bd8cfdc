// The first screen: the verdict, what failed, how the requirements came out, what was run.

import { isDomainsRun, type RequirementResult, type RunFile } from '../../engine/check/run-file.ts'
import type { Outcome } from '../../history/outcome.ts'
import { count } from '../../history/quote.ts'
import type { Level } from '../../spec/requirements/requirement.ts'
import { type FailureGroup, newFailures } from '../failure.ts'
import type { KnownVerdict } from '../known-failures.ts'
import { reproduceRun } from '../reproduce.ts'
import {
  hasSeed,
  inSeconds,
  listBaselines,
  partsById,
  toneOf,
  usedKeys,
  verdictLine,
  verdictOfRun,
} from '../summary.ts'
import { anchorOf, commandView, expectation } from './failures.ts'
import { latencySummary, thresholdList } from './load-section.ts'
import * as ui from './markup.ts'
import { html, type Markup } from './markup.ts'

export const firstScreen = (run: RunFile, known: KnownVerdict): Markup => {
  const verdict = verdictOfRun(run)
  const [failed, measured] = [failures(run, known), measurements(run)]
  const hasFailed = run.verdict === 'not-conformant'
  return html`<header class="top">
<p class="maker"><span class="mark">petvet</span>
${run.load ? 'Load report' : 'Conformance report'}</p>
<div class="verdict ${toneOf(run)}">
<svg class="seal" aria-hidden="true" focusable="false"><use href="#sign-${toneOf(run)}"/></svg>
<div><h1>${verdict.charAt(0).toUpperCase()}${verdict.slice(1)}</h1>
${totalsList(run)}
<p class="lead">${verdictLine(run, known).replace(/^petvet: /, '')}</p></div></div>
<div class="summary"><div>${hasFailed ? [failed, measured] : [measured, failed]}${again(run)}
<div class="bars">${bar(run, 'must')}
${bar(run, 'should')}
${bar(run, 'open')}</div>
${listed('stale', 'Known failures to remove or renew', 'fail', known.stale)}
${listed('moved', 'Pinned observations that changed', 'warn', known.moved)}
${notes(run)}</div>
${facts(run)}</div>
</header>`
}

/** `331 checks: 2 failed, 232 passed, ...`, with the sign of each outcome. */
const totalsList = ({ checks }: RunFile): Markup | false =>
  checks.length > 0 &&
  html`<ul class="totals" aria-label="Checks"><li>${count(checks.length, 'check', 'checks')}:</li>
${outcomeItems(ui.tally(checks))}</ul>`

const outcomeItems = (shares: ReturnType<typeof ui.tally>) =>
  shares.map((each) => html`<li class="${each.outcome}">${ui.counted(each)}</li>`)

/** The outcomes of the requirements of a level as one bar. */
const bar = (run: RunFile, level: Level): Markup | false => {
  const own = run.requirements.filter((each) => each.level === level)
  if (own.length === 0) return false
  const shares = ui.tally(own)
  const parts = partsById(run)
  const partly = own.filter(({ id }) => parts.has(id)).length
  const passed = own.filter(({ outcome }) => outcome === 'pass').length
  const label = shares.map(({ number, words }) => `${number} ${words}`).join(', ')
  return html`<div class="bar"><h2>${requirementsOf(level, own)}</h2>
${ui.shareBar(label, shares, own.length)}
<ul>${outcomeItems(shares)}</ul>${
    partly > 0 &&
    html`<p class="quiet">Of the ${passed} passed, ${partly} only in part: some of
${partly === 1 ? 'its' : 'their'} checks do not apply.</p>`
  }</div>`
}

/** `111 musts, 9 of them not applicable` */
const requirementsOf = (level: Level, own: readonly RequirementResult[]): string => {
  const noun = level === 'open' ? 'open point' : level
  const idle = own.filter(({ outcome }) => outcome === 'inapplicable').length
  const all = count(own.length, noun, `${noun}s`)
  return idle === 0 ? all : `${all}, ${idle} of them not applicable`
}

const maxShownFailures = 12

const failures = (run: RunFile, known: KnownVerdict): Markup | false => {
  const { groups } = newFailures(run, known)
  // Where a run could not be made, "No check failed" would say too much.
  if (run.impossible !== null && groups.length === 0) return false
  const noneNew = known.excused.size > 0 ? 'Only known failures.' : 'No check failed.'
  const warnings = run.checks.filter(({ outcome }) => outcome === 'warn').length
  const hidden = groups.slice(maxShownFailures)
  const left = hidden.reduce((sum, { others }) => sum + 1 + others.length, 0)
  const list = html`<ol class="failed">
${groups.slice(0, maxShownFailures).map((group, at) => failedLine(group, at === 0 ? run : null))}
${
  left > 0 && html`<li class="more">and ${left} more, <a href="#failures">further down</a></li>`
}</ol>`
  const also = html`<p class="quiet">Also
<a href="#warnings">${count(warnings, 'warning', 'warnings')}</a>, where a should is violated.</p>`
  const content = groups.length > 0 ? list : html`<p class="quiet">${noneNew}</p>`
  return part('failed', 'What failed', html`${content}${warnings > 0 && also}`)
}

/** @param run of the first one: as the next to fix, it is shown with its request */
const failedLine = (group: FailureGroup, run: RunFile | null): Markup => {
  const { show, says, blocked, others } = group
  const evidence = show.evidence.at(-1)
  return html`<li class="${show.outcome}">
${ui.sign(show.outcome)}<a href="#${anchorOf(group)}">${ui.prose(says)}</a>
${blocked !== '' && html`<span class="quiet">Untested because of it: ${blocked}</span>`}
<code>${show.id}${others.length > 0 && ` and ${others.length} more`}</code>
${
  run !== null &&
  html`<div class="first-failure">${expectation(show)}
${evidence && commandView(run, evidence)}</div>`
}</li>`
}

/** Of a load. */
const measurements = ({ load, checks }: RunFile): Markup | false => {
  const thresholds = thresholdList(checks)
  return (
    load !== undefined &&
    html`${part('latency', 'Latency', latencySummary(load))}
${thresholds && part('thresholds', 'Thresholds', thresholds)}`
  )
}

const again = (run: RunFile): Markup | false => {
  const line = html`<div class="again">${ui.command('whole run', reproduceRun(run))}</div>`
  return (run.impossible !== null || run.interrupted) && part('again', 'Run it again', line)
}

/** Lines of the known failures that no longer fit the run. */
const listed = (id: string, title: string, mark: Outcome, texts: KnownVerdict['stale']) => {
  const items = [...texts].map(
    ([check, why]) =>
      html`<li class="${mark}">${ui.sign(mark)}<span>${ui.clipped(why, 600)}</span>
<code>${check}</code></li>`,
  )
  return items.length > 0 && part(id, title, html`<ul class="failed">${items}</ul>`)
}

const notes = ({ notes: all }: RunFile): Markup | false => {
  const items = all.map((note) => html`<li>${ui.prose(note)}</li>`)
  return items.length > 0 && part('notes', 'Notes', html`<ul class="notes">${items}</ul>`)
}

const part = (id: string, title: string, content: Markup): Markup =>
  html`<section aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>
${content}</section>`

/** What was run, on what, and what it cost. */
const facts = (run: RunFile): Markup => {
  const { target } = run
  const ofDomains = isDomainsRun(run)
  const plans = target.plans.join(', ')
  const requests = run.requests === 1 ? 'request' : 'requests'
  const keys = usedKeys(run).map(
    ([key, sent]) => html`<span class="key">${key} <b>${ui.grouped(sent)}</b></span> `,
  )
  // In UTC, so that all readers see the same time.
  const utc = run.startedAt.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC')
  const started = html`<time datetime="${run.startedAt}">${utc}</time>`
  const clock = target.clock ? 'yes: waits take no real time' : 'no: waits take real time'
  return html`<dl class="facts">
${fact('Target', html`<span class="address">${target.baseUrl}</span>`)}
${plans !== '' && fact(ofDomains ? 'Plan of the project' : 'Plans of the keys', plans)}
${!ofDomains && fact('Test clock', clock)}
${fact('Cost', `${ui.grouped(run.requests)} ${requests} in ${inSeconds(run.durationMs)}`)}
${keys.length > 0 && fact('Requests by key (plan and number)', html`${keys}`)}
${hasSeed(run) && fact('Seed', String(run.seed))}
${fact('Started', started)}
${listBaselines(run).map(({ says }) => fact('Baseline', says))}
${fact('Versions', `petvet ${run.petvet}, interface ${run.interface}`)}
</dl>`
}

const fact = (name: string, value: string | Markup): Markup =>
  html`<div><dt>${name}</dt><dd>${value}</dd></div>`
