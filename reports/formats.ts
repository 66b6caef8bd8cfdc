// The file formats of a run, besides the run file itself; the smallest ones are made here: a
// badge, annotations of GitHub, and a list of known failures.

import { type CheckResult, isDomainsRun, type RunFile } from '../engine/check/run-file.ts'
import { failedThresholds } from '../engine/check/verdict.ts'
import { startOf } from '../history/quote.ts'
import { namedRequirement } from './by-heading.ts'
import { newFailures } from './failure.ts'
import { html } from './html/page.ts'
import { junit } from './junit.ts'
import { hasNewFailure, noReason } from './known-failures.ts'
import { markdown } from './markdown.ts'
import { writeWhole } from './run-folder.ts'
import { shell } from './shell.ts'
import { countViolatedMusts, type Source, toneOf, verdictInWords, verdictLine } from './summary.ts'
import { inertJson, visible } from './visible.ts'

const colours = {
  pass: 'brightgreen',
  fail: 'red',
  untested: 'yellow',
  error: 'lightgrey',
} as const

/** As the endpoint of shields.io reads it: the verdict, and musts violated or tested. */
const badge = ({ run, known }: Source): string => {
  const [tested, all] = run.decided.must
  const violated = countViolatedMusts(run)
  const isKnown = run.verdict === 'not-conformant' && !hasNewFailure(run, known)
  const words = isKnown ? 'known failures only' : verdictInWords(run)
  // It can be not conformant for a stale known failure alone.
  const isViolated = run.verdict === 'not-conformant' && !isKnown && violated > 0
  const musts = isViolated
    ? `${violated} of ${all} musts violated`
    : `${tested} of ${all} musts tested`
  const hasVerdict = /conformant$/.test(run.verdict) && !run.interrupted
  const shown = {
    schemaVersion: 1,
    label: isDomainsRun(run) ? 'custom domains' : `animal store ${run.interface}`,
    message: run.interrupted ? 'interrupted' : `${words} · ${musts}`,
    color: run.interrupted ? colours.error : isKnown ? 'orange' : colours[toneOf(run)],
    // Shown in another style: such a run is no statement about the server.
    ...(!hasVerdict && { isError: true }),
  }
  return `${JSON.stringify(shown, null, 2)}\n`
}

/** GitHub shows no more annotations of one kind per step. */
const maxOfKind = 10
const maxCharacters = 2_000

type Kind = 'error' | 'warning' | 'notice'

/** Workflow commands of GitHub: failures and warnings as annotations. */
export const github = ({ run, known }: Source): string => {
  const failures = newFailures(run, known)
  const stale = [...known.stale].map(([id, why]) => command('error', `known failures: ${id}`, why))
  const moved = [...known.moved].map(([id, how]) => command('warning', `pinned: ${id}`, how))
  // One annotation per headline: GitHub shows few, and eighty of one fault hide the others.
  const errors = failures.groups.map(({ show, others, says }) => {
    const also = others.map(({ id }) => id).join(', ')
    return annotation('error', show, says, also && `\nAlso failed: ${also}`)
  })
  const { violated } = failedThresholds(run.checks)
  const warnings = failures.warnings.map((result) => {
    const kind = violated.includes(result) ? 'error' : 'warning'
    return annotation(kind, result, namedRequirement(result).says)
  })
  const kind: Kind = run.verdict === 'conformant' && violated.length === 0 ? 'notice' : 'warning'
  const lines = [
    command(kind, 'petvet', verdictLine(run, known)),
    ...(run.impossible === null ? [] : [command('error', 'petvet', run.impossible)]),
    ...capped(run.notes.map((note) => command('notice', 'petvet', note))),
    ...capped([...errors, ...stale]),
    ...capped([...moved, ...warnings]),
  ]
  return `${lines.join('\n')}\n`
}

/** One less of a kind, so that the verdict is among those that are shown. */
const capped = (commands: readonly string[]): readonly string[] => commands.slice(0, maxOfKind - 1)

const annotation = (kind: Kind, { id, level, detail }: CheckResult, says: string, also = '') =>
  command(kind, `${id} (${level})`, `${says}\n${startOf(detail, maxCharacters)}${also}`)

/** A text in a command cannot end it: only a line end does. */
const data = (text: string): string =>
  text.split('\n').map(visible).join('\n').replace(/%/g, '%25').replace(/\n/g, '%0A')

const command = (kind: Kind, title: string, message: string): string => {
  const property = data(title).replace(/:/g, '%3A').replace(/,/g, '%2C')
  return `::${kind} title=${property}::${data(message)}`
}

/** The failures that no file of known failures lists yet, as lines of one, by headline. */
const known = ({ run, known }: Source): string => {
  // An error of petvet itself is excused by no line.
  const groups = newFailures(run, known).groups.filter(({ show }) => show.outcome === 'fail')
  const lines = groups.flatMap(({ says, show, others }) => [
    '',
    `# ${visible(says)}`,
    ...[show, ...others].map(({ id }) => `${id}  ${noReason}`),
  ])
  return `${[`# Put a reason in the place of each ${noReason}.`, ...lines].join('\n')}\n`
}

export interface Format {
  /** Its name in the folder of the run. */
  readonly file: string
  readonly write: (source: Source) => string
}

export const formats: Readonly<Record<string, Format>> = {
  html: { file: 'report.html', write: html },
  markdown: { file: 'report.md', write: markdown },
  junit: { file: 'junit.xml', write: junit },
  github: { file: 'annotations.txt', write: github },
  badge: { file: 'badge.json', write: badge },
  known: { file: 'known.txt', write: known },
  sh: { file: 'headlines.sh', write: shell },
}

/** Writes formats next to the run file. @throws WriteFault */
export const writeFormats = (source: Source, names: readonly string[], folder: string): void => {
  for (const name of names) {
    const format = formats[name]
    if (format) writeWhole(folder, format.file, format.write(source))
  }
}

export const printRun = (run: RunFile): string => inertJson(run)
