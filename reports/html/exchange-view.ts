// An exchange for a reader: what was sent, what came, cut where it is too long to be read.
import type { Evidence } from '../../engine/run-file.ts'
import { clipped, grouped, html, lines, type Markup } from './markup.ts'
import { command } from './signs.ts'

type Headers = Evidence['request']['headers']

const shownHeaders = 40
const shownHeaderCharacters = 600
const shownCommandCharacters = 6_000

/** How much of the bodies of a page is shown in all: a page is to be read, not to be stored. */
const pageCharacters = 500_000
const longBody = 4_000
const shortBody = 400

/** Cuts the bodies of one page; the more there was already, the sooner. */
export interface Cutter {
  readonly cut: (text: string) => { readonly shown: string; readonly left: number }
}

export const createCutter = (): Cutter => {
  let spent = 0
  return {
    cut: (text) => {
      const most = spent < pageCharacters ? longBody : shortBody
      // Not within a surrogate pair.
      const shown = text.slice(0, most).replace(/[\ud800-\udbff]$/, '')
      spent += shown.length
      return { shown, left: text.length - shown.length }
    },
  }
}

export const exchangeView = (evidence: Evidence, cutter: Cutter): Markup => {
  const { request, response, seq, noAnswer } = evidence
  return html`<div class="exchange">
<div class="side"><h5>Request</h5>
<p class="line"><b>${request.method}</b> ${cutLine(request.url)}</p>
${headersView(request.headers)}${bodyView(request, seq, cutter)}</div>
<div class="side"><h5>Answer</h5>${
    response
      ? html`<p class="line"><b>${response.status}</b></p>
${headersView(response.headers)}${bodyView(response, seq, cutter)}`
      : html`<p class="line">no whole answer: ${noAnswer ?? 'the reason is not known'}</p>`
  }</div></div>
${commandView(evidence)}`
}

const headersView = (headers: Headers): Markup | false => {
  if (headers.length === 0) return false
  const left = headers.length - shownHeaders
  return html`<table class="headers"><tbody>${headers
    .slice(0, shownHeaders)
    .map(
      ([name, value]) =>
        html`<tr><th scope="row">${cutLine(name)}</th><td>${cutLine(value)}</td></tr>`,
    )}</tbody></table>
    ${left > 0 && html`<p class="left-out">${left} more headers are left out here.</p>`}`
}

const cutLine = (text: string): string => clipped(text, shownHeaderCharacters)

type Body = Pick<NonNullable<Evidence['response']>, 'bodyBase64' | 'bodyBytes'> & {
  readonly body: string | null
}

/** What of a body is not shown, in words; empty: all of it is. */
const leftOutOf = ({ body, bodyBytes }: Body, left: number): string => {
  if (bodyBytes !== undefined) return `Only the beginning of ${grouped(bodyBytes)} bytes is here`
  if (left === 0) return ''
  return `${grouped(left)} of ${grouped(body?.length ?? 0)} characters are left out here`
}

const bodyView = (told: Body, seq: number, cutter: Cutter): Markup => {
  const { body, bodyBase64 } = told
  if (body === null || body === '') return html`<p class="quiet">No body.</p>`
  const { shown, left } = cutter.cut(body)
  const leftOut = leftOutOf(told, left)
  const whole = html`<code>exchanges.ndjson</code>, <code>seq</code> ${seq}`
  return html`<pre class="body" tabindex="0"><code>${lines(shown)}</code></pre>
${leftOut !== '' && html`<p class="left-out">${leftOut}; all of them are in ${whole}.</p>`}
${
  bodyBase64 !== undefined &&
  html`<p class="left-out">These bytes are no UTF-8; as they came they are in ${whole}.</p>`
}`
}

export const commandView = ({ curl, seq }: Evidence): Markup =>
  curl.length <= shownCommandCharacters
    ? command('request for a shell', curl)
    : html`<p class="left-out">As a line for a shell this has ${grouped(curl.length)} characters; it
        is in <code>run.json</code>, in the evidence with <code>seq</code> ${seq}.</p>`
