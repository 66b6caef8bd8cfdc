// The file formats of a run, besides the run file itself; the smallest ones are made here: a
// badge, annotations of GitHub, a list of known failures, and each headline as a test for a shell.

import {
  type CheckResult,
  type Evidence,
  type Finding,
  isDomainsRun,
  type RunFile,
} from '../engine/check/run-file.ts'
import { failedThresholds } from '../engine/check/verdict.ts'
import { startOf } from '../history/quote.ts'
import { namedRequirement } from './by-heading.ts'
import { type FailureGroup, newFailures } from './failure.ts'
import { html } from './html/page.ts'
import { junit } from './junit.ts'
import { hasNewFailure, noReason } from './known-failures.ts'
import { markdown } from './markdown.ts'
import { reproduceCheck, shellQuoted } from './reproduce.ts'
import { writeWhole } from './run-folder.ts'
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

/** An error of petvet itself is excused by no line, and no test of the target. */
const failedGroups = ({ run, known }: Source): readonly FailureGroup[] =>
  newFailures(run, known).groups.filter(({ show }) => show.outcome === 'fail')

/** The failures that no file of known failures lists yet, as lines of one, by headline. */
const known = (source: Source): string => {
  const lines = failedGroups(source).flatMap(({ says, show, others }) => [
    '',
    `# ${visible(says)}`,
    ...[show, ...others].map(({ id }) => `${id}  ${noReason}`),
  ])
  return `${[`# Put a reason in the place of each ${noReason}.`, ...lines].join('\n')}\n`
}

const head = `#!/bin/sh
# Each headline of a run of petvet as a test: prints what still fails, and exits with 1 if any does.
failed=0
say() { printf '%s\\n' "$1"; }
fails() { failed=1; say "FAIL $1"; say "     expected $2"; }
send() { answer=$("$@"); status=$(say "$answer" | sed -n '1s/^HTTP[^ ]* \\([0-9]*\\).*/\\1/p'); }
in_head() { say "$answer" | sed '/^.\\{0,1\\}$/q' | grep -qi "^$1:"; }
`

/** Whether a status is in one of the ranges. */
const isDue = (due: NonNullable<Finding['due']>): string => {
  const tests = due.map(([from, to]) => `[ "$status" -ge ${from} ] && [ "$status" -le ${to} ]`)
  return `{ ${tests.map((each) => `{ ${each}; }`).join(' || ')}; }`
}

/** What of a finding one response shows; undefined: it takes petvet. */
const testOf = ({ aspect, due, kind, name }: Finding): string | undefined => {
  if (aspect === 'status' && due) return isDue(due)
  const isMissing = aspect === 'header' && kind === 'missing' && name !== undefined
  return isMissing
    ? `{ ${name
        .split(', ')
        .map((each) => `in_head ${each}`)
        .join(' && ')}; }`
    : undefined
}

/** The address is a parameter, and the id of a pet that an earlier step creates. */
const sendLine = ({ curl }: Evidence, { target }: RunFile, created?: string): string => {
  const line = curl.replaceAll(`'${target.baseUrl}`, `"$target"'`)
  const own = created === undefined ? line : line.replaceAll(`/pets/${created}'`, `/pets/'"$id"`)
  return own.startsWith('curl ') ? `send ${own}` : `send sh -c ${shellQuoted(own)}`
}

const idIn = ({ request, response }: Evidence): string | undefined =>
  request.method === 'POST' && response?.status === 201
    ? /"id"\s*:\s*(\d+)/.exec(response.body)?.[1]
    : undefined

const readId = `id=$(say "$answer" | sed -n 's/.*"id": *\\([0-9]*\\).*/\\1/p')`

const stepsOf = (evidence: readonly Evidence[], run: RunFile): readonly string[] => {
  let created: string | undefined
  return evidence.flatMap((each) => {
    const line = sendLine(each, run, created)
    created = idIn(each) ?? created
    return idIn(each) === undefined ? [line] : [line, readId]
  })
}

const expectedOf = ({ expected }: CheckResult): string => shellQuoted(visible(`${expected}`))

const scriptOf = ({ show, says, cause }: FailureGroup, run: RunFile): string => {
  const finding = show.findings?.[cause?.finding ?? 0]
  const isAlone = !show.evidence.some(({ together }) => together)
  const test = finding && isAlone ? testOf(finding) : undefined
  const words = shellQuoted(visible(says))
  const steps =
    test === undefined
      ? [`${reproduceCheck(run, show)} >/dev/null 2>&1 || fails ${words} 'no failure'`]
      : [...stepsOf(show.evidence, run), `${test} || fails ${words} ${expectedOf(show)}`]
  return [`\n# ${visible(says)}`, ...steps].join('\n')
}

/** The headlines of a run as one script; keys come from the environment, the address may too. */
const shell = ({ run, known }: Source): string => {
  const all = failedGroups({ run, known }).map((group) => scriptOf(group, run))
  const target = `target=\${1:-${shellQuoted(run.target.baseUrl)}}\n`
  return `${head}${target}${all.join('\n')}\n\nexit $failed\n`
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
