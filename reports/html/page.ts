// The run as one HTML file that needs no network; its policy lets nothing else in.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Source, verdictLine } from '../summary.ts'
import { bodyCutter, failures, warnings } from './failures.ts'
import { firstScreen } from './first-screen.ts'
import { limiter } from './limiter.ts'
import { load } from './load.ts'
import { type Markup, ownText, signShapes, html as template } from './markup.ts'
import { observations, requirements } from './requirements.ts'
import { untested } from './untested.ts'

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')

/** Later ones win. */
const styles = ['frame', 'first-screen', 'failures', 'tables', 'charts']

const hashOf = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`

export const html = ({ run, known, exchanges }: Source): string => {
  const cut = bodyCutter()
  const numberOf = (...outcomes: string[]) =>
    run.checks.filter(({ outcome }) => outcomes.includes(outcome)).length
  const loadPart: Part = { id: 'load', title: 'Load', count: null, content: load(run.load ?? []) }
  const parts: Part[] = [
    {
      id: 'failures',
      title: 'Failed checks',
      count: numberOf('fail', 'error'),
      content: failures({ run, known, cut }),
    },
    {
      id: 'warnings',
      title: 'Warnings',
      count: numberOf('warn'),
      content: warnings({ run, known, cut }),
    },
    {
      id: 'requirements',
      title: 'Requirements',
      count: run.requirements.length,
      content: requirements(run),
    },
    {
      id: 'observations',
      title: 'Observations',
      count: numberOf('observed'),
      content: observations(run),
    },
    { id: 'limiter', title: 'Limiter', count: null, content: limiter(exchanges()) },
    {
      id: 'untested',
      title: 'Untested checks',
      count: numberOf('untested'),
      content: untested(run),
    },
  ]
  return page({
    title: `${verdictLine(run, known)} · ${run.target.baseUrl}`,
    top: firstScreen(run, known),
    parts: [loadPart, ...parts],
    foot: template`<p>Written by petvet ${run.petvet} from <code>run.json</code> and
      <code>exchanges.ndjson</code>. API keys are in neither.</p>`,
  })
}

interface Part {
  readonly id: string
  readonly title: string
  readonly count: number | null
  readonly content: Markup | false
}

interface Page {
  readonly title: string
  readonly top: Markup
  readonly parts: readonly Part[]
  readonly foot: Markup
}

const link = ({ id, title, count }: Part): Markup => template`<li><a href="#${id}">${title}
${count !== null && template`<span class="count">${count}</span>`}</a></li>`

/** The policy names the style and the script, which are ours, by their hashes. */
const page = ({ title, top, parts, foot }: Page): string => {
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
  const whole = template`<!doctype html>
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
