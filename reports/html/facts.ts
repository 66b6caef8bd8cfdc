// What was run, on what, and what it cost.
import type { RunFile } from '../../suites/kit/run-file.ts'
import { columnTitles } from './columns.ts'
import { grouped, html, type Markup } from './markup.ts'

export const facts = (run: RunFile): Markup => {
  const { target, requestsByKey } = run
  const keys = Object.entries(requestsByKey)
  const columns = Object.entries(run.columns ?? {})
  const seconds = (run.durationMs / 1_000).toFixed(1)
  const requests = run.requests === 1 ? 'request' : 'requests'
  const onKeys = keys.map(
    ([key, sent]) => html`<span class="key">${key} <b>${grouped(sent)}</b></span> `,
  )
  const started = html`<time datetime="${run.startedAt}">${timeOf(run.startedAt)}</time>`
  return html`<dl class="facts">
${fact('Target', html`<span class="address">${target.baseUrl}</span>`)}
${fact('Plans', target.plans.join(', ') || 'none')}
${fact('Test clock', target.clock ? 'yes: windows and dates pass at once' : 'no: all in real time')}
${fact('Cost', `${grouped(run.requests)} ${requests} in ${seconds} s`)}
${keys.length > 0 && fact('Of these, by key', html`${onKeys}`)}
${fact('Seed', String(run.seed))}
${fact('Started', started)}
${columns.map(([name, column]) => fact('Beside it', besideOf(name, column)))}
${fact('Versions', `petvet ${run.petvet}, interface ${run.interface}`)}
</dl>`
}

const besideOf = (name: string, { checks }: RunFile): string => {
  const passed = checks.filter(({ outcome }) => outcome === 'pass').length
  return `${columnTitles[name] ?? name}: ${passed} of ${checks.length} checks pass`
}

const fact = (name: string, value: string | Markup): Markup =>
  html`<div><dt>${name}</dt><dd>${value}</dd></div>`

/** Every reader sees the same time, so that two of them speak of the same. */
const timeOf = (iso: string): string => iso.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC')
