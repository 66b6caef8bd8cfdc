// The frame of the page: one file that needs no network, and a policy that lets nothing else in.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { html, type Markup, ownText } from './markup.ts'
import { signShapes } from './signs.ts'

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')

/** Later ones win. */
const styles = [
  'colours',
  'frame',
  'first-screen',
  'parts',
  'failures',
  'exchange',
  'requirements',
  'tables',
  'charts',
  'screens',
]

const hashOf = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`

export interface Part {
  readonly id: string
  readonly title: string
  readonly count: number | null
  readonly content: Markup | false
}

export interface Page {
  readonly title: string
  readonly top: Markup
  readonly parts: readonly Part[]
  readonly foot: Markup
}

const link = ({ id, title, count }: Part): Markup => html`<li><a href="#${id}">${title}
${count !== null && html`<span class="count">${count}</span>`}</a></li>`

/** Text is cut before it comes here; the style and the script are ours, and named by their hash. */
export const page = ({ title, top, parts, foot }: Page): string => {
  const style = styles.map((name) => read(`./style/${name}.css`)).join('\n')
  const script = read('./page-script.js')
  const policy = [
    `default-src 'none'`,
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ')
  const shown = parts.filter(({ content }) => content !== false)
  const whole = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${ownText(style)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the report</a>
${signShapes()}
<nav aria-label="Parts of the report"><ul>${shown.map(link)}</ul></nav>
<main id="content" tabindex="-1">
${top}
${shown.map(({ content }) => content)}
</main>
<footer>${foot}</footer>
<script>${ownText(script)}</script>
</body>
</html>
`
  return whole.markup
}
