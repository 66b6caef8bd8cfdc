// How the musts and the shoulds came out, each as one bar.

import type { Outcome } from '../../engine/outcome.ts'
import type { RunFile } from '../../engine/run-file.ts'
import type { Level } from '../../spec/sentence.ts'
import { partOf } from '../parts.ts'
import { html, type Markup } from './markup.ts'
import { outcomeOrder, outcomeWords, sign } from './signs.ts'

export const bars = (run: RunFile): Markup =>
  html`<div class="bars">${(['must', 'should'] as const).map((level) => bar(run, level))}</div>`

const titles: Readonly<Record<Level, string>> = {
  must: 'Musts',
  should: 'Shoulds',
  open: 'Left open',
}

const bar = (run: RunFile, level: Level): Markup | false => {
  const own = run.requirements.filter((each) => each.level === level)
  if (own.length === 0) return false
  const parts = outcomeOrder.flatMap((outcome) => {
    const number = own.filter((each) => each.outcome === outcome).length
    return number === 0 ? [] : [{ outcome, number }]
  })
  const checks = new Map(run.checks.map((each) => [each.id, each]))
  const kept = own.filter((each) => partOf(each, checks) !== undefined).length
  const told = parts.map(({ outcome, number }) => `${number} ${outcomeWords[outcome]}`).join(', ')
  return html`<div class="bar"><h2>${titles[level]}</h2>
<svg viewBox="0 0 100 3" preserveAspectRatio="none" role="img" aria-label="${told}">
${slices(parts, own.length)}</svg>
<ul>${parts.map(legendItem)}</ul>${
    kept > 0 &&
    html`<p class="quiet">${kept} of these
partly tested: the rest of them is not claimed.</p>`
  }</div>`
}

interface Part {
  readonly outcome: Outcome
  readonly number: number
}

const legendItem = ({ outcome, number }: Part): Markup => html`<li class="${outcome}">
  ${sign(outcome)}<b>${number}</b> ${outcomeWords[outcome].toLowerCase()}</li>`

const slices = (parts: readonly Part[], all: number): Markup[] => {
  let from = 0
  return parts.map(({ outcome, number }) => {
    const x = (from / all) * 100
    from += number
    const width = Math.max(0.3, (number / all) * 100 - 0.35)
    return html`<rect class="${outcome}" x="${x.toFixed(2)}" y="0"
      width="${width.toFixed(2)}" height="3"/>`
  })
}
