// A line for each domain of a run: its outcome, the check that decides it, and what to change.

import { domainToUnicode } from 'node:url'
import { type CheckResult, isDomainsRun } from '../engine/check/run-file.ts'
import { excusedIds } from './known-failures.ts'
import type { Source } from './summary.ts'
import { visible, wrapped } from './visible.ts'

/** `bücher.example (xn--bcher-kva.example)`: checks have the second in their ids. */
export const shownHost = (host: string): string => {
  const unicode = domainToUnicode(host)
  return unicode === '' || unicode === host ? host : `${visible(unicode)} (${host})`
}

/** From the most important on; a failure that is known comes after them. */
const urgent: readonly string[] = ['fail', 'error', 'warn', 'untested']

/** The change says what was expected. */
const seenIn = ({ fix, actual, detail }: CheckResult): string =>
  fix === undefined ? detail : `${actual ?? detail}`

/** The worst check of each domain; a should counts if it is violated or says what to change. */
export const listDomains = ({ run, known }: Source) => {
  const own = isDomainsRun(run) ? run.checks.filter(({ id }) => id.includes('@')) : []
  const excused = excusedIds(run, known)
  const byHost = Map.groupBy(own, ({ id }) => id.slice(id.indexOf('@') + 1))
  return [...byHost].map(([host, checks]) => {
    const [worst] = checks
      .filter(({ outcome, level, fix }) => {
        const counts = level === 'must' || outcome === 'warn' || fix !== undefined
        return urgent.includes(outcome) && counts
      })
      .map((result) => {
        const isKnown = excused.has(result.id)
        return { result, isKnown, rank: isKnown ? urgent.length : urgent.indexOf(result.outcome) }
      })
      .toSorted((a, b) => a.rank - b.rank)
    const hasPassed = checks.some(({ outcome }) => outcome === 'pass')
    const { result } = worst ?? {}
    return {
      host: shownHost(host),
      outcome: result?.outcome ?? (hasPassed ? ('pass' as const) : ('untested' as const)),
      isKnown: worst?.isKnown ?? false,
      check: result?.id ?? '',
      says: result === undefined ? '' : `${result.id.split('@')[0]}: ${seenIn(result)}`,
      fix: result?.fix ?? '',
    }
  })
}

const indent = ' '.repeat(12)
const minColumns = 40

/** The same as lines. */
export const domainLines = (source: Source, columns: number | null): string[] => {
  const rows = listDomains(source)
  const width = Math.max(0, ...rows.map(({ host }) => host.length))
  return rows.flatMap(({ host, outcome, isKnown, says, fix }) => {
    const head = `  ${(isKnown ? 'known' : outcome).padEnd(8)}  ${host.padEnd(width)}  `
    const fixLines = wrapped(visible(fix), `${indent}fix: `, columns)
    // Below a long name there is more room.
    const isWide = columns === null || columns - head.length >= minColumns
    const lines = wrapped(visible(says), isWide ? head : indent, columns)
    return [...(isWide && lines.length > 0 ? [] : [head.trimEnd()]), ...lines, ...fixLines]
  })
}
