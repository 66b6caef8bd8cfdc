// The controls that filter the requirements; shown only where there is a script to obey them.

import { count } from '../../engine/count.ts'
import type { RequirementResult } from '../../engine/run-file.ts'
import { html, type Markup } from './markup.ts'
import { outcomeOrder, outcomeWords, sign } from './signs.ts'

export const filters = (all: readonly RequirementResult[]): Markup => {
  const outcomes = Map.groupBy(all, ({ outcome }) => outcome)
  const levels = new Set(all.map(({ level }) => level))
  return html`<form class="filters" hidden data-filters>
<fieldset><legend>Outcome</legend>${outcomeOrder.map((outcome) => {
    const own = outcomes.get(outcome)
    if (!own) return false
    const label = html`${sign(outcome)}${outcomeWords[outcome]} <b>${own.length}</b>`
    return choice('outcome', outcome, label)
  })}</fieldset>
<fieldset><legend>Level</legend>${(['must', 'should', 'open'] as const).map(
    (level) => levels.has(level) && choice('level', level, html`${level}`),
  )}</fieldset>
<div class="search"><label for="filter-text">Words</label>
<input id="filter-text" type="search" name="text" autocomplete="off"
placeholder="sentence, id or check"></div>
<p class="shown"><output data-shown>${count(all.length, 'requirement', 'requirements')}</output>
<button type="reset">Show all</button></p>
</form>`
}

const choice = (name: string, value: string, label: Markup): Markup =>
  html`<label class="choice ${value}"><input type="checkbox" name="${name}" value="${value}">
    ${label}</label>`
