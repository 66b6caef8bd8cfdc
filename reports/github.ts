// Workflow commands of GitHub: failures and warnings as annotations.
import type { CheckResult } from '../engine/run-file.ts'
import { causesOf, causeTitle, type ShownCause, withoutCause } from './causes.ts'
import { requirementOfCheck } from './requirements.ts'
import { type Source, verdictLine, warningsOf } from './summary.ts'
import { visible } from './visible.ts'

/** GitHub shows no more annotations of one kind per step. */
const maxOfKind = 10
const maxCharacters = 2_000

type Kind = 'error' | 'warning' | 'notice'

export const github = ({ run, known }: Source): string => {
  const stale = [...known.stale].map(([id, why]) =>
    command('error', { title: `known failures: ${id}` }, why),
  )
  const moved = [...known.moved].map(([id, how]) =>
    command('warning', { title: `pinned: ${id}` }, how),
  )
  // One annotation per cause: GitHub shows few, and eighty of one fault hide the others.
  const errors = [
    ...causesOf(run, known).map(causeAnnotation),
    ...withoutCause(run, known).map((result) => annotation('error', result)),
    ...stale,
  ]
  const kind: Kind = run.verdict === 'conformant' ? 'notice' : 'warning'
  const lines = [
    command(kind, { title: 'petvet' }, verdictLine(run, known)),
    ...(run.impossible === null ? [] : [command('error', { title: 'petvet' }, run.impossible)]),
    ...capped(run.notes.map((note) => command('notice', { title: 'petvet' }, note))),
    ...capped(errors),
    ...capped([...moved, ...warningsOf(run, known).map((each) => annotation('warning', each))]),
  ]
  return `${lines.join('\n')}\n`
}

/** One less of a kind, so that the verdict is among those that are shown. */
const capped = (commands: readonly string[]): readonly string[] => commands.slice(0, maxOfKind - 1)

const causeAnnotation = (shown: ShownCause): string => {
  const { show, others } = shown
  const also = others.length === 0 ? '' : `\nAlso failed: ${others.map(({ id }) => id).join(', ')}`
  const heading = causeTitle(shown) || requirementOfCheck(show).says
  const text = `${heading}\n${show.detail.slice(0, maxCharacters)}${also}`
  return command('error', { title: `${show.id} (${show.level})` }, text)
}

const annotation = (kind: Kind, result: CheckResult): string => {
  const { says } = requirementOfCheck(result)
  const title = `${result.id} (${result.level})`
  return command(kind, { title }, `${says}\n${result.detail.slice(0, maxCharacters)}`)
}

/** A text in a command cannot end it: only a line end does. */
const data = (text: string): string =>
  text.split('\n').map(visible).join('\n').replace(/%/g, '%25').replace(/\n/g, '%0A')

const property = (text: string): string => data(text).replace(/:/g, '%3A').replace(/,/g, '%2C')

const command = (
  kind: Kind,
  properties: Readonly<Record<string, string>>,
  message: string,
): string => {
  const pairs = Object.entries(properties).map(([name, value]) => `${name}=${property(value)}`)
  return `::${kind} ${pairs.join(',')}::${data(message)}`
}
