// The run as one HTML file that needs no network: for people to look at, and to be shown around.

import { createCutter } from './html/exchange-view.ts'
import { failures, warnings } from './html/failures.ts'
import { firstScreen } from './html/first-screen.ts'
import { limiter } from './html/limiter.ts'
import { load } from './html/load.ts'
import { html as template } from './html/markup.ts'
import { observations } from './html/observations.ts'
import { page } from './html/page.ts'
import { gatherRates } from './html/rate-facts.ts'
import { requirements } from './html/requirements.ts'
import { untested } from './html/untested.ts'
import type { Source } from './source.ts'
import { verdictLine } from './verdict-line.ts'

export const html = ({ run, known, exchanges }: Source): string => {
  const rates = gatherRates(exchanges())
  const cutter = createCutter()
  const numberOf = (...outcomes: string[]) =>
    run.checks.filter(({ outcome }) => outcomes.includes(outcome)).length
  return page({
    title: `${verdictLine(run, known)} · ${run.target.baseUrl}`,
    top: firstScreen(run, known),
    parts: [
      {
        id: 'failures',
        title: 'Failures',
        count: numberOf('fail', 'error'),
        content: failures({ run, known, cutter }),
      },
      {
        id: 'warnings',
        title: 'Warnings',
        count: numberOf('warn'),
        content: warnings({ run, known, cutter }),
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
      { id: 'load', title: 'Load', count: null, content: load(run.load ?? []) },
      { id: 'limiter', title: 'Limiter', count: null, content: limiter(rates) },
      { id: 'untested', title: 'Not tested', count: numberOf('untested'), content: untested(run) },
    ],
    foot: template`<p>Written by petvet ${run.petvet} from <code>run.json</code> and
      <code>exchanges.ndjson</code>. API keys are in none of them.</p>`,
  })
}
