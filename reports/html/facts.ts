// What was run, on what, and what it cost.
import type { RunFile } from '../../engine/run-file.ts'
import { isOfDomains } from '../again.ts'
import { columnTitles } from './columns.ts'
import { grouped, html, type Markup } from './markup.ts'

export const facts = (run: RunFile): Markup => {
  const { target, requestsByKey } = run
  const keys = Object.entries(requestsByKey).filter(([, sent]) => sent > 0)
  const plans = target.plans.join(', ')
  const ofDomains = isOfDomains(run)
  const columns = Object.entries(run.columns ?? {})
  const seconds = (run.durationMs / 1_000).toFixed(1)
  const requests = run.requests === 1 ? 'request' : 'requests'
  const onKeys = keys.map(
    ([key, sent]) => html`<span class="key">${key} <b>${grouped(sent)}</b></span> `,
  )
  const started = html`<time datetime="${run.startedAt}">${timeOf(run.startedAt)}</time>`
  return html`<dl class="facts">
${fact('Target', html`<span class="address">${target.baseUrl}</span>`)}
${plans !== '' && fact(ofDomains ? 'Plan of the project' : 'Plans', plans)}
${!ofDomains && fact('Test clock', clockWords(target.clock))}
${fact('Cost', `${grouped(run.requests)} ${requests} in ${seconds} s`)}
${keys.length > 0 && fact('Of these, by key', html`${onKeys}`)}
${!ofDomains && fact('Seed', String(run.seed))}
${fact('Started', started)}
${columns.map(([name, column]) => fact('Beside it', besideOf(name, column)))}
${fact('Versions', `petvet ${run.petvet}, interface ${run.interface}`)}
</dl>`
}

const clockWords = (isThere: boolean): string =>
  isThere ? 'yes: windows and dates pass at once' : 'no: all in real time'

const besideOf = (name: string, { checks, interrupted }: RunFile): string => {
  const passed = checks.filter(({ outcome }) => outcome === 'pass').length
  const told = interrupted ? 'interrupted' : `${passed} of ${checks.length} checks pass`
  return `${columnTitles[name] ?? name}: ${told}`
}

const fact = (name: string, value: string | Markup): Markup =>
  html`<div><dt>${name}</dt><dd>${value}</dd></div>`

/** Every reader sees the same time, so that two of them speak of the same. */
const timeOf = (iso: string): string => iso.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC')
