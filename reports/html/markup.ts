// Markup that is safe by construction, as every value in a template is escaped; and its parts.

import type { Outcome } from '../../history/outcome.ts'
import { unsafe, withoutCommands } from '../../history/quote.ts'
import type { Level } from '../../spec/requirements/requirement.ts'
import { cut, visible } from '../visible.ts'

/** A piece of HTML. Only the functions below make one, so a target's text in it is escaped. */
export interface Markup {
  readonly markup: string
}

type Piece = Markup | string | number | false | null | undefined | readonly Piece[]

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? '')

const print = (piece: Piece): string => {
  if (piece === null || piece === undefined || piece === false) return ''
  if (typeof piece === 'string') return escaped(visible(piece))
  if (typeof piece === 'number') return String(piece)
  return 'markup' in piece ? piece.markup : piece.map(print).join('')
}

/**
 * Escapes every value and spells out control and bidirectional characters; an attribute has quotes.
 * Line breaks of the template are only white space, so it may be indented as code is.
 */
export const html = (texts: TemplateStringsArray, ...pieces: readonly Piece[]): Markup => ({
  markup: String.raw(
    { raw: texts.map((text) => text.replace(/\n\s*/g, '\n')) },
    ...pieces.map(print),
  ),
})

/** A file of our own (style, script), which is markup already. Nothing else may be passed. */
export const ownText = (text: string): Markup => ({ markup: text })

/**
 * A text of several lines, for a `pre`. Keeps line breaks and tabs; spells out and marks invisible
 * characters, which distinguishes them from a text with just these letters.
 */
export const lines = (text: string): Markup => {
  // Every second piece is of invisible characters.
  const pieces = text.split(new RegExp(`((?:(?![\\n\\t])(?:${unsafe.source}))+)`, 'u'))
  const markup = pieces.map((piece, at) =>
    at % 2 === 0 ? escaped(piece) : `<span class="spelt">${escaped(visible(piece))}</span>`,
  )
  return { markup: withoutCommands(markup.join(''), 'html') }
}

/** A text of ours, in which a pair of backticks marks code. */
export const prose = (text: string): Markup => ({
  markup: text
    .split(/`([^`]+)`/)
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`).markup)
    .join(''),
})

/** `298,113` */
export const grouped = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: 2 })

/** A text for one line, cut if it is longer. */
export const clipped = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : `${cut(text, maxLength)} (${grouped(text.length)} characters)`

interface Table {
  /** For screen readers. */
  readonly label: string
  readonly headings: readonly (string | Markup)[]
  /** Which columns, from 0 on, hold numbers; by default none. */
  readonly isNumber?: (column: number) => boolean
  /** Rows within `tbody`, one for each group. */
  readonly body: Markup | readonly Markup[]
  readonly className: string
}

/** It may be wider than the screen: it scrolls sideways, by the keyboard too. */
export const table = ({ label, headings, isNumber, body, className }: Table): Markup => html`<div
  class="wide" tabindex="0" role="group" aria-label="${label}">
  <table class="${className}"><thead><tr>${headings.map(
    (words, column) =>
      html`<th scope="col"${isNumber?.(column) && html` class="number"`}>${words}</th>`,
  )}</tr></thead>
  ${body}</table></div>`

/** How an outcome is called, and its sign: a path in a box of 16 by 16. The most urgent first. */
const outcomes: Readonly<Record<Outcome, readonly [words: string, path: string]>> = {
  fail: ['Failed', 'M4.6 4.6l6.8 6.8M11.4 4.6l-6.8 6.8'],
  error: ['Error', 'M9 2.8L5 8.6h5.4L7 13.4'],
  warn: ['Warning', 'M8 4v5M8 11.4v.8'],
  untested: ['Untested', 'M4 8h.2M7.9 8h.2M11.8 8h.2'],
  pass: ['Passed', 'M3.8 8.4l2.8 2.9 5.6-6.4'],
  observed: ['Observed', 'M8 4v.6M8 7.2v4.8'],
  inapplicable: ['Not applicable', 'M4.4 8h7.2'],
}

/** How many results have each outcome, the most urgent first; those that none has are left out. */
export const tally = (results: readonly { readonly outcome: Outcome }[]) =>
  Object.entries(outcomes).flatMap(([outcome, [words]]) => {
    const number = results.filter((each) => each.outcome === outcome).length
    return number === 0 ? [] : [{ outcome: outcome as Outcome, number, words }]
  })

/** Drawn once; every sign of the page refers to them. */
export const signShapes = (): Markup => ({
  markup: `<svg width="0" height="0" class="shapes" aria-hidden="true">${Object.entries(outcomes)
    .map(
      ([name, [, path]]) =>
        `<symbol id="sign-${name}" viewBox="0 0 16 16"><path d="${path}"/></symbol>`,
    )
    .join('')}</svg>`,
})

export const sign = (outcome: Outcome): Markup =>
  html`<svg class="sign" aria-hidden="true" focusable="false"><use href="#sign-${outcome}"/></svg>`

/** `3 failed`, with the sign of the outcome. */
export const counted = ({ outcome, number, words }: ReturnType<typeof tally>[number]): Markup =>
  html`${sign(outcome)}<b>${number}</b> ${words.toLowerCase()}`

type Share = Pick<ReturnType<typeof tally>[number], 'outcome' | 'number'>

/** Numbers as the parts of one bar. @param total as wide as the whole */
export const shareBar = (label: string, shares: readonly Share[], total: number): Markup => {
  let to = 0
  const slices = shares.map(({ outcome, number }) => {
    const [x, width] = [to, (number / total) * 100]
    to += width
    return html`<rect class="${outcome}" x="${x.toFixed(2)}" y="0"
      width="${Math.max(0.3, width - 0.35).toFixed(2)}" height="3"/>`
  })
  return html`<svg class="shares" viewBox="0 0 100 3" preserveAspectRatio="none" role="img"
    aria-label="${label}">${slices}</svg>`
}

/** Word, shape and colour, so that none of them has to be seen. */
export const badge = (outcome: Outcome, word: string = outcomes[outcome][0]): Markup =>
  html`<span class="badge ${outcome}">${sign(outcome)}${word}</span>`

export const levelChip = (level: Level): Markup =>
  html`<span class="level ${level}">${level}</span>`

/** Lines to paste into a shell; their button appears if scripts run. */
export const command = (label: string, line: string): Markup => html`<div class="command">
<div class="command-head"><span>${label}</span>
<button type="button" data-copy hidden>Copy<span class="unseen"> the ${label}</span></button></div>
<pre><code>${lines(line)}</code></pre></div>`
