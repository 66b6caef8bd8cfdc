// Markup that is safe by construction: whatever is put into a template is escaped.
import { withoutCommands } from '../../engine/ci-commands.ts'
import { visible } from '../visible.ts'

/** A piece of HTML. Only what is below makes one, so a target's text in it is escaped. */
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
 * Every value is escaped, control and bidirectional characters spelt out; an attribute has quotes.
 * Line ends of the template are white space and no more, so it may be indented as code is.
 */
export const html = (texts: TemplateStringsArray, ...pieces: readonly Piece[]): Markup => ({
  markup: String.raw(
    { raw: texts.map((text) => text.replace(/\n\s*/g, '\n')) },
    ...pieces.map(print),
  ),
})

/** A file of our own (style, script), which is markup as it stands. Nothing else may come here. */
export const ownText = (text: string): Markup => ({ markup: text })

/**
 * A text of several lines, for a `pre`: line ends and tabs stay, and what cannot be seen is spelt
 * out and marked, so that it is told from a text that has just these letters.
 */
export const lines = (text: string): Markup => {
  let markup = ''
  let unseen = ''
  const flush = () => {
    if (unseen !== '') markup += `<span class="spelt">${escaped(unseen)}</span>`
    unseen = ''
  }
  for (const character of text) {
    const told = character === '\n' || character === '\t' ? character : visible(character)
    if (told === character) {
      flush()
      markup += escaped(character)
    } else unseen += told
  }
  flush()
  return { markup: withoutCommands(markup, 'html') }
}

/** A sentence of ours, in which backticks mark what is code. */
export const prose = (sentence: string): Markup => ({
  markup: sentence
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`).markup)
    .join(''),
})

/** A number as a reader takes it in: 298,113. */
export const grouped = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: 2 })

/** A text for one line, cut where it is longer than that. */
export const clipped = (text: string, most: number): string =>
  text.length <= most
    ? text
    : `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}… (${grouped(text.length)} characters)`

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
