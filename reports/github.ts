// Workflow commands of GitHub: what is wrong as annotations, then all of it as a folded log.
import { createHash } from 'node:crypto'
import type { CheckResult, RunFile } from '../engine/run-file.ts'
import { againOf } from './again.ts'
import { isExcused } from './known.ts'
import { sentenceOfCheck } from './sentences.ts'
import type { Source } from './source.ts'
import { verdictLine } from './verdict-line.ts'
import { visible } from './visible.ts'

/** GitHub shows no more of one kind of a step. */
const mostOfKind = 10
const mostCharacters = 2_000

type Kind = 'error' | 'warning' | 'notice'

export const github = ({ run, known }: Source): string => {
  const open = run.checks.filter((result) => !isExcused(result, known))
  const having = (outcome: CheckResult['outcome']) =>
    open.filter((result) => result.outcome === outcome)
  const broken = [...having('fail'), ...having('error')]
  const warned = having('warn')
  const stale = [...known.stale].map(([id, why]) =>
    command('error', { title: `known failures: ${id}` }, why),
  )
  const moved = [...(known.moved ?? [])].map(([id, how]) =>
    command('warning', { title: `pinned: ${id}` }, how),
  )
  const errors = [...broken.map((result) => annotation('error', result)), ...stale]
  const kind: Kind = run.verdict === 'conformant' ? 'notice' : 'warning'
  const lines = [
    command(kind, { title: 'petvet' }, verdictLine(run, known)),
    ...(run.impossible === null ? [] : [command('error', { title: 'petvet' }, run.impossible)]),
    ...capped(run.notes.map((note) => command('notice', { title: 'petvet' }, note))),
    ...capped(errors),
    ...capped([...moved, ...warned.map((result) => annotation('warning', result))]),
    ...fenced(
      'petvet: all that is wrong',
      [...broken, ...warned].flatMap((result) => tell(run, result)),
    ),
  ]
  return `${lines.join('\n')}\n`
}

/** One command of a kind less, so that the verdict is among those that are shown. */
const capped = (commands: readonly string[]): readonly string[] => commands.slice(0, mostOfKind - 1)

const annotation = (kind: Kind, result: CheckResult): string => {
  const { says } = sentenceOfCheck(result)
  const title = `${result.id} (${result.level})`
  return command(kind, { title }, `${says}\n${result.detail.slice(0, mostCharacters)}`)
}

/** A text in a command cannot end it: line ends are the only end it has. */
const data = (text: string): string =>
  text.split('\n').map(visible).join('\n').replace(/%/g, '%25').replace(/\n/g, '%0A')

const property = (text: string): string => data(text).replace(/:/g, '%3A').replace(/,/g, '%2C')

const command = (
  kind: Kind,
  properties: Readonly<Record<string, string>>,
  message: string,
): string => {
  const told = Object.entries(properties).map(([name, value]) => `${name}=${property(value)}`)
  return `::${kind} ${told.join(',')}::${data(message)}`
}

const tell = (run: RunFile, result: CheckResult): string[] => [
  `${result.outcome} ${result.id}`,
  `  ${sentenceOfCheck(result).says}`,
  `  ${visible(result.detail)}`,
  ...result.evidence.slice(-1).map(({ curl }) => `  ${visible(curl)}`),
  `  ${visible(againOf(run, result))}`,
]

/** Between the two marks no line is a command, and no text knows the hash of itself. */
const fenced = (title: string, lines: readonly string[]): string[] => {
  if (lines.length === 0) return []
  const mark = createHash('sha256').update(lines.join('\n')).digest('hex')
  return [`::group::${title}`, `::stop-commands::${mark}`, ...lines, `::${mark}::`, '::endgroup::']
}
