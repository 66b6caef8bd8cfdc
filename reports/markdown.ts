// The run in Markdown, worst first, for the summary of a CI job or a comment on a change: the parts
// of the terminal's report as code, so that nothing of a target is markup, link or mention.

import type { RunFile } from '../engine/check/run-file.ts'
import { count } from '../history/quote.ts'
import { describeFailure, type FailureGroup, newFailures } from './failure.ts'
import { beforePasting, reproduceRun } from './reproduce.ts'
import { type Source, verdictLine } from './summary.ts'
import { reportParts } from './terminal.ts'
import { failureHead, groupTitle } from './terminal-failures.ts'
import { cut, visible } from './visible.ts'

/** Text outside of code that may quote the target: no markup, link or mention. */
const plain = (text: string): string =>
  visible(text)
    .replace(/[\\`*_{}[\]#~]/g, (sign) => `\\${sign}`)
    .replace(/[<>&|]|(?<=:)\/(?=\/)|(?<=www)\./gi, (sign) => `&#${sign.charCodeAt(0)};`)
    // GitHub looks for names of people in what is left of the text once it is HTML.
    .replaceAll('@', '@&#8203;')

const maxLineCharacters = 4_000

/** A code block with a fence longer than any run of backticks inside. */
export const block = (language: string, lines: readonly string[]): string => {
  const text = lines
    .map((line) => cut(visible(line), maxLineCharacters))
    .join('\n')
    .trimEnd()
  let fence = '```'
  while (text.includes(fence)) fence += '`'
  return text === '' ? '' : `${fence}${language}\n${text}\n${fence}\n`
}

/** The first line, and the others below it once it is pressed. */
const folded = ([title, ...lines]: readonly string[]): string =>
  title === undefined
    ? ''
    : `<details><summary>${plain(title)}</summary>\n\n${block('text', lines)}\n</details>\n`

/** GitHub drops a summary above 1 MiB; the difference is left for other steps of the job. */
const maxBytes = 900 * 1024

/** As many whole parts as fit. */
const fitted = (parts: readonly string[]): string => {
  const present = parts.filter((part) => part !== '')
  let bytes = 0
  const kept = present.filter((part) => {
    bytes += Buffer.byteLength(part) + 1
    return bytes <= maxBytes - 200
  })
  const left = present.length - kept.length
  const more =
    left === 0 ? [] : [`${count(left, 'more part', 'more parts')} left out: see run.json.`]
  return [...kept, ...more].join('\n')
}

/** Lines are broken, as a code block does not. */
const columns = 100

export const markdown = ({ run, known }: Source): string => {
  const options = { paint: (_: string, text: string) => text, verbose: true, columns, known }
  const parts = reportParts(run, { ...options, folder: null, htmlUrl: null })
  const { load, domains, warnings, knownLines, untested, partly, observations } = parts
  const { sections, notes, cost } = parts
  const wasCut = run.impossible !== null || run.interrupted
  const text = (lines: readonly string[]) => block('text', lines)
  return fitted([
    // The reason may quote the target, so it is no part of the title.
    `## ${plain(verdictLine(run, known, []))}\n`,
    ...(run.impossible === null ? [] : [text([run.impossible])]),
    wasCut ? block('sh', [reproduceRun(run)]) : '',
    text(domains),
    text(
      [cost, sections, parts.baselines, partly, notes]
        .filter((lines) => lines.length > 0)
        .flatMap((lines) => [...lines, '']),
    ),
    ...failures({ run, known }),
    ...[warnings, knownLines, load].map(text),
    ...[untested, observations].map(folded),
  ])
}

/** Further failures have one line each. */
const [maxFullFailures, maxShortFailures] = [50, 500]

const failures = ({ run, known }: Source): string[] => {
  const { failed, groups, summary } = newFailures(run, known)
  if (groups.length === 0) return []
  const more = groups.slice(maxFullFailures).map(({ show }) => show)
  const left = more.length - maxShortFailures
  const sentences = [summary, beforePasting(run)].filter((text) => text !== '')
  return [
    `### Failures (${failed.length})\n`,
    ...sentences.map((text) => `${text}.\n`),
    ...groups.slice(0, maxFullFailures).map((group) => groupPart(run, group)),
    block('text', [
      ...more.slice(0, maxShortFailures).map(({ id, detail }) => `${id}: ${cut(detail, 300)}`),
      left > 0 ? `and ${count(left, 'more failure', 'more failures')}` : '',
    ]),
  ]
}

/** One failure in full, and the ids of the others. */
const groupPart = (run: RunFile, group: FailureGroup): string => {
  const { cause, show, others } = group
  const { sent, commands, reproduce } = describeFailure(run, show)
  const lines = failureHead(run, show, { paint: (_, text) => text, columns })
  const also = others.map(({ id }) => `Also failed: ${id}`)
  return [
    cause === undefined ? '' : `#### ${plain(groupTitle(group))}\n`,
    block('text', [...lines, ...also]),
    sent && `Sent ${sent}:\n`,
    block('sh', [...commands, reproduce]),
  ]
    .filter((part) => part !== '')
    .join('\n')
}
