// Each headline as a test for a shell: it fails until the headline is fixed. Keys come from the
// environment; the address may be given.
import type { CheckResult, Evidence, Finding, RunFile } from '../engine/check/run-file.ts'
import { type FailureGroup, newFailures } from './failure.ts'
import { reproduceCheck, shellQuoted } from './reproduce.ts'
import type { Source } from './summary.ts'
import { visible } from './visible.ts'

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

/** The headlines of a run as one script. */
export const shell = ({ run, known }: Source): string => {
  const groups = newFailures(run, known).groups.filter(({ show }) => show.outcome === 'fail')
  const all = groups.map((group) => scriptOf(group, run))
  const target = `target=\${1:-${shellQuoted(run.target.baseUrl)}}\n`
  return `${head}${target}${all.join('\n')}\n\nexit $failed\n`
}
