// What decides nothing, in Markdown: the servers beside it, the observed, and the untested.
import { titles } from './beside.ts'
import { code, plain, table } from './markdown-text.ts'
import { lacksOf } from './reasons.ts'
import type { Source } from './source.ts'

const folded = (title: string, content: string): string =>
  `<details><summary>${title}</summary>\n\n${content}\n</details>\n`

/** What other servers did with the same questions; it decides nothing. */
export const beside = ({ run }: Source): string => {
  const columns = Object.entries(run.columns ?? {})
  if (columns.length === 0) return ''
  const rows = [['this server', run] as const, ...columns].map(
    ([name, { checks, interrupted }]) => {
      const counts = outcomesBeside.map((outcome) => {
        const own = checks.filter((result) => result.outcome === outcome)
        return String(own.length)
      })
      return [`${plain(titles[name] ?? name)}${interrupted ? ' (interrupted)' : ''}`, ...counts]
    },
  )
  return `### Beside it\n\n${table(['', ...outcomesBeside], rows)}\n`
}

const outcomesBeside = ['pass', 'fail', 'warn', 'observed', 'untested', 'error'] as const

export const observed = ({ run: { observations } }: Source): string => {
  const seen = Object.entries(observations).map(([id, value]) => [code(id), code(value)])
  if (seen.length === 0) return ''
  const title = `What this server does where the interface is silent (${seen.length})`
  return folded(title, table(['check', 'seen'], seen))
}

const shownIds = 10

/** By what would decide them, as most of them miss the same. */
export const untested = ({ run: { checks } }: Source): string => {
  const lacks = lacksOf(checks)
  if (lacks.length === 0) return ''
  const left = lacks.reduce((sum, { checks: own }) => sum + own.length, 0)
  const rows = lacks.map(({ because, detail, checks: own }) => {
    const ids = own.slice(0, shownIds).map(({ id }) => code(id))
    const rest = own.length > shownIds ? `, and ${own.length - shownIds} more` : ''
    return [String(own.length), because, code(detail), `${ids.join(', ')}${rest}`]
  })
  return folded(
    `Untested (${left})`,
    table(['checks', 'because', 'what would decide it', ''], rows),
  )
}
