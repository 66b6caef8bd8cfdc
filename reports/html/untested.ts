// What was not tested, why, and what would decide it.
import { requirement, requirementIds } from '../../spec/requirements.ts'
import { type Because, reasons } from '../../suites/kit/outcome.ts'
import type { CheckResult, RunFile } from '../../suites/kit/run-file.ts'
import { sentenceOfCheck } from '../sentences.ts'
import { count } from '../verdict-line.ts'
import { clipped, html, type Markup, prose } from './markup.ts'
import { levelChip } from './signs.ts'
import { table, words } from './table.ts'

/** What a reader has to give, do or wait for. */
const deciders: Readonly<Record<Because, { readonly what: string; readonly decides: string }>> = {
  permission: {
    what: 'The run was not allowed to',
    decides: 'Allow it with `--allow`, on a target where that does no harm.',
  },
  key: { what: 'A further key was missing', decides: 'Give one more key with `--key PLAN=KEY`.' },
  category: {
    what: 'A category was missing',
    decides: 'Name categories that the server knows with `--category`.',
  },
  clock: {
    what: 'The time at the target did not allow it',
    decides: 'Give the address of a test clock with `--clock`, or restart the target.',
  },
  budget: {
    what: 'The budget of requests was spent',
    decides: 'Raise `--max-requests`, or ask fewer questions with `--only`.',
  },
  blocked: {
    what: 'The target did not let it be asked',
    decides: 'See the reason of each; run again when the target answers as it usually does.',
  },
  ambiguous: {
    what: 'What was seen has a legal explanation',
    decides: 'Run again, best with keys that nobody else uses and a test clock.',
  },
  interrupted: { what: 'The run was interrupted', decides: 'Run it to its end.' },
}

export const untested = (run: RunFile): Markup => {
  const left = run.checks.filter(({ outcome }) => outcome === 'untested')
  const groups = reasons.flatMap((because) => {
    const own = left.filter((result) => result.because === because)
    return own.length === 0 ? [] : [{ because, own }]
  })
  const intro =
    left.length === 0
      ? 'Every check that could be asked of this target was decided.'
      : `${count(left.length, 'check', 'checks')} ended without a decision. None counts as passed.`
  return html`<section id="untested"><h2>What was not tested</h2>
<p class="intro">${intro}</p>
${groups.map(({ because, own }) => group(because, own))}
${unasked(run)}</section>`
}

interface Group {
  readonly what: string
  readonly decides: string | null
  readonly isOpen: boolean
  readonly headings: readonly string[]
  readonly rows: readonly Markup[]
}

const groupOf = ({ what, decides, isOpen, headings, rows }: Group): Markup => html`<details
class="untested-group"${isOpen && html` open`}><summary><h3>${what}
<span class="count">${rows.length}</span></h3></summary>
${decides !== null && html`<p class="decides">${prose(decides)}</p>`}
${table({
  label: what,
  headings: headings.map(words),
  body: html`<tbody>${rows}</tbody>`,
  className: 'lacks',
})}</details>`

const group = (because: Because, own: readonly CheckResult[]): Markup =>
  groupOf({
    ...deciders[because],
    isOpen: true,
    headings: ['Check', 'Level', 'Sentence', 'What is missing'],
    rows: own.map(
      (result) => html`<tr><td><code>${result.id}</code></td><td>${levelChip(result.level)}</td>
<td>${prose(sentenceOfCheck(result).says)}</td>
<td class="seen">${clipped(result.detail, 600)}</td></tr>`,
    ),
  })

/** Sentences that no request can decide: a reader should not believe them tested. */
const unasked = (run: RunFile): Markup | false => {
  const asked = new Set<string>(run.requirements.map(({ id }) => id))
  const rest = requirementIds.flatMap((id) => {
    const { says, section, untestable, planned } = requirement(id)
    const why = untestable ?? (planned === undefined ? undefined : `For ${planned}.`)
    return asked.has(id) || why === undefined ? [] : [{ id, says, section, why }]
  })
  if (rest.length === 0) return false
  return groupOf({
    what: 'No request to the API can decide it',
    decides: null,
    isOpen: false,
    headings: ['Sentence', 'Where', 'Why'],
    rows: rest.map(
      ({ says, section, why }) =>
        html`<tr><td>${prose(says)}</td><td class="where">${section}</td><td>${why}</td></tr>`,
    ),
  })
}
