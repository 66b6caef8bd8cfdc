// Tables: each can be scrolled sideways on a narrow screen, by the keyboard too.
import { html, type Markup } from './markup.ts'

interface Table {
  /** What it holds, for those who do not see it. */
  readonly label: string
  readonly headings: readonly Heading[]
  /** Rows, in a `tbody` of their own where there are groups. */
  readonly body: Markup | readonly Markup[]
  readonly className: string
}

export interface Heading {
  readonly words: string
  readonly isNumber: boolean
}

export const words = (heading: string): Heading => ({ words: heading, isNumber: false })
export const numbers = (heading: string): Heading => ({ words: heading, isNumber: true })

/** A part that can be wider than the screen. */
export const wide = (label: string, content: Markup): Markup => html`<div
  class="wide" tabindex="0" role="group" aria-label="${label}">${content}</div>`

export const table = ({ label, headings, body, className }: Table): Markup =>
  wide(
    label,
    html`<table class="${className}"><thead><tr>${headings.map(headingCell)}</tr></thead>
      ${body}</table>`,
  )

const headingCell = ({ words: text, isNumber }: Heading): Markup =>
  html`<th scope="col"${isNumber && html` class="number"`}>${text}</th>`
