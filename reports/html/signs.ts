// The signs of the page: an outcome is told by its word, its shape and its colour, never by one.

import type { Outcome } from '../../engine/outcome.ts'
import type { Level } from '../../spec/sentence.ts'
import { html, type Markup } from './markup.ts'

export const outcomeWords: Readonly<Record<Outcome, string>> = {
  fail: 'Failed',
  error: 'Error',
  warn: 'Warning',
  untested: 'Untested',
  pass: 'Passed',
  observed: 'Observed',
  inapplicable: 'Inapplicable',
}

/** From what has to be looked at first to what has not. */
export const outcomeOrder = Object.keys(outcomeWords) as Outcome[]

/** Shapes on a field of 16 by 16. */
const shapes: Readonly<Record<Outcome, string>> = {
  fail: 'M4.6 4.6l6.8 6.8M11.4 4.6l-6.8 6.8',
  error: 'M9 2.8L5 8.6h5.4L7 13.4',
  warn: 'M8 4v5M8 11.4v.8',
  untested: 'M4 8h.2M7.9 8h.2M11.8 8h.2',
  pass: 'M3.8 8.4l2.8 2.9 5.6-6.4',
  observed: 'M8 4v.6M8 7.2v4.8',
  inapplicable: 'M4.4 8h7.2',
}

/** Drawn once; every sign of the page refers to these. */
export const signShapes = (): Markup => ({
  markup: `<svg width="0" height="0" class="shapes" aria-hidden="true">${Object.entries(shapes)
    .map(
      ([name, path]) =>
        `<symbol id="sign-${name}" viewBox="0 0 16 16"><path d="${path}"/></symbol>`,
    )
    .join('')}</svg>`,
})

export const sign = (outcome: Outcome): Markup =>
  html`<svg class="sign" aria-hidden="true" focusable="false"><use href="#sign-${outcome}"/></svg>`

/** @param word where another one than that of the outcome tells more */
export const badge = (outcome: Outcome, word: string = outcomeWords[outcome]): Markup =>
  html`<span class="badge ${outcome}">${sign(outcome)}${word}</span>`

export const levelChip = (level: Level): Markup =>
  html`<span class="level ${level}">${level}</span>`

/** A line to be pasted into a shell, with a button that appears where there is a script. */
export const command = (label: string, line: string): Markup => html`<div class="command">
<div class="command-head"><span>${label}</span>
<button type="button" data-copy hidden>Copy<span class="unseen"> the ${label}</span></button></div>
<pre><code>${line}</code></pre></div>`
