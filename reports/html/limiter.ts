// The limiter in pictures, as far as the recorded answers tell.
import { grouped, html, type Markup } from './markup.ts'
import { perSecondFigure } from './per-second.ts'
import type { RateFacts } from './rate-facts.ts'
import { remainingFigures } from './remaining.ts'
import { waitsFigure } from './waits.ts'

const noWaits = html`<p class="quiet">No call with a key was refused, so no wait was stated.</p>`

export const limiter = (facts: RateFacts): Markup | false => {
  if (facts.answers.size === 0) return false
  const waits = waitsFigure(facts)
  return html`<section id="limiter"><h2>The limiter in pictures</h2>
<p class="intro">Read from every recorded answer to a key. Times are those at the target; where its
test clock was moved, a minute took milliseconds.</p>
${
  facts.leftOut > 0 &&
  html`<p class="left-out">${grouped(facts.leftOut)} later answers are left out of
    these pictures.</p>`
}
${remainingFigures(facts)}${perSecondFigure(facts)}
${waits === false ? noWaits : waits}</section>`
}
