// The run as one HTML file that needs no network; its policy lets nothing else in.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { RunFile } from '../../engine/check/run-file.ts'
import { listDomains } from '../domain-table.ts'
import { type Source, verdictOfRun } from '../summary.ts'
import { cut } from '../visible.ts'
import { failures, warnings } from './failures.ts'
import { firstScreen } from './first-screen.ts'
import { load } from './load-section.ts'
import type { Markup } from './markup.ts'
import * as ui from './markup.ts'
import { observations, requirements, untested } from './requirement-sections.ts'

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')

/** Later ones win. */
const styles = ['frame', 'first-screen', 'failures', 'tables', 'charts']

const hashOf = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** A row for each, with what is wrong and what to change. */
const domains = (source: Source): Markup | false => {
  const rows = listDomains(source)
  return (
    rows.length > 0 &&
    ui.html`<section id="domains"><h2>Domains</h2>
<p class="intro">Each domain with the check that decides its outcome, and what to change.</p>
${ui.table({
  label: 'Domains',
  headings: ['Domain', 'Outcome', 'Seen', 'Fix'],
  body: ui.html`<tbody>${rows.map(domainRow)}</tbody>`,
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
  return ui.html`<tr><th scope="row">${host}</th>
<td>${ui.badge(outcome, isKnown ? 'Known' : undefined)}</td>
<td class="seen">${isShown ? ui.html`<a href="#check-${check}">${seen}</a>` : seen}</td>
<td class="seen">${ui.clipped(fix, 600)}</td></tr>`
}

type Part = readonly [id: string, title: string, count: number | null, content: Markup | false]

const partsOf = (source: Source): Part[] => {
  const { run } = source
  const numberOf = (...outcomes: string[]) =>
    run.checks.filter(({ outcome }) => outcomes.includes(outcome)).length
  return [
    ['load', 'Load', null, load(run.load ?? [])],
    ['domains', 'Domains', null, domains(source)],
    ['failures', 'Failed checks', numberOf('fail', 'error'), failures(source)],
    ['warnings', 'Warnings', numberOf('warn'), warnings(source)],
    ['requirements', 'Requirements', run.requirements.length, requirements(run)],
    ['observations', 'Observations', numberOf('observed'), observations(run)],
    ['untested', 'Untested checks', numberOf('untested'), untested(run)],
  ]
}

const link = ([id, title, count]: Part): Markup => ui.html`<li><a href="#${id}">${title}
${count !== null && ui.html`<span class="count">${count}</span>`}</a></li>`

/** As long as a tab shows. */
const maxTitleLength = 70

const titleOf = (run: RunFile): string => {
  const { baseUrl } = run.target
  const place = URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl
  return cut(`petvet: ${verdictOfRun(run)} · ${place}`, maxTitleLength - 1)
}

/** The policy names the style and the script, which are ours, by their hashes. */
export const html = (source: Source): string => {
  const { run, known } = source
  const style = styles.map((name) => read(`./style/${name}.css`)).join('\n')
  const script = read('./page-script.js')
  const policy = [
    `default-src 'none'`,
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ')
  const parts = partsOf(source).filter(([, , , content]) => content !== false)
  return ui.html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${titleOf(run)}</title>
<style>${ui.ownText(style)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the report</a>
${ui.signShapes()}
<nav aria-label="Parts of the report"><ul>${parts.map(link)}</ul></nav>
<main id="content" tabindex="-1">
${firstScreen(run, known)}
${parts.map(([, , , content]) => content)}
</main>
<footer><p>Written by petvet ${run.petvet} from <code>run.json</code>. API keys are not in
it.</p></footer>
<script>${ui.ownText(script)}</script>
</body>
</html>
`.markup
}
