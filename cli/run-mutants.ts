// The work of `petvet mutants`: proves all subjects, and prints the kill table.
import { matchesGlob } from 'node:path'
import { domainSubjects, proveDomains } from '../domains/command/prove.ts'
import { interruptedCode, onInterrupt } from './interrupt.ts'
import { didYouMean } from './nearest.ts'
import { seedBounds, wholeNumber } from './numbers.ts'
import { proveAll } from './proving/pool.ts'
import type { Proof } from './proving/proof.ts'
import { subjects } from './proving/subject.ts'
import { killTable } from './proving/table.ts'
import { UsageError } from './usage-error.ts'

export interface MutantFlags {
  readonly only?: readonly string[] | undefined
  readonly suite?: 'contract' | 'limits' | 'domains' | undefined
  readonly seed?: string | undefined
  readonly seeds?: string | undefined
  readonly json?: boolean | undefined
}

/** The seed of the proofs, where none is given: the same each time. */
const usualSeed = '7'

/** The servers of an API, and the published projects, which have suites of their own. */
const selected = ({ only, suite }: MutantFlags) => {
  const isMeant = ({ id }: { id: string }) => only?.some((glob) => matchesGlob(id, glob)) ?? true
  const servers = subjects.filter((subject) => {
    return suite === undefined || suite === (subject.suite === 'contract' ? 'contract' : 'limits')
  })
  const projects = suite === undefined || suite === 'domains' ? domainSubjects : []
  const chosen = { servers: servers.filter(isMeant), projects: projects.filter(isMeant) }
  if (chosen.servers.length + chosen.projects.length > 0) return chosen
  const ids = [...subjects, ...domainSubjects].map(({ id }) => id)
  const hint = didYouMean(only?.[0] ?? '', ids)
  throw new UsageError(`--only and --suite leave no mutant and no variant to prove${hint}`)
}

const seedsBounds = { least: 1, most: 1_000 }

const seedsOf = (flags: MutantFlags): number[] => {
  const first = wholeNumber('--seed', flags.seed ?? usualSeed, seedBounds)
  const count = wholeNumber('--seeds', flags.seeds ?? '1', seedsBounds)
  return Array.from({ length: count }, (_, at) => (first + at) % (seedBounds.most + 1))
}

/** Where there is no terminal, a line of the log each half minute. */
const betweenMs = 30_000

const tellProgress = (all: number) => {
  const { stderr, env } = process
  const isTerminal = stderr.isTTY === true && env.TERM !== 'dumb'
  let done = 0
  let saidMs = performance.now()
  stderr.write(`petvet: ${all} to prove\n`)
  const proven = (proof: Proof) => {
    done += 1
    if (isTerminal) {
      const line = `${done}/${all} ${proof.id}`.slice(0, Math.max(1, (stderr.columns || 80) - 1))
      stderr.write(`\r${line}\u001b[K`)
    } else if (performance.now() - saidMs >= betweenMs) {
      saidMs = performance.now()
      stderr.write(`petvet: ${done} of ${all} proven\n`)
    }
  }
  const ended = (isInterrupted: boolean) => {
    if (isTerminal && done > 0) stderr.write('\r\u001b[K')
    if (isInterrupted) stderr.write(`petvet: interrupted; ${done} of ${all} were proven\n`)
  }
  return { proven, ended }
}

/** @returns 0 when every proof holds, else 1; 130 when interrupted */
export const runMutants = async (flags: MutantFlags): Promise<number> => {
  const { servers, projects } = selected(flags)
  const seeds = seedsOf(flags)
  const interrupt = onInterrupt()
  const startMs = performance.now()
  const proofs: Proof[] = []
  try {
    const all = servers.length * seeds.length + projects.length
    const { proven, ended } = tellProgress(all)
    for (const seed of seeds) {
      proofs.push(...(await proveAll(servers, seed, proven, interrupt.signal)))
    }
    // Nothing of these is drawn by a seed.
    if (projects.length > 0) {
      proofs.push(...(await proveDomains(projects, seeds[0] ?? 0, proven, interrupt.signal)))
    }
    ended(interrupt.signal.aborted)
    const left = interrupt.signal.aborted ? all - proofs.length : null
    const table = killTable(proofs, performance.now() - startMs, left)
    process.stdout.write(flags.json ? `${JSON.stringify(proofs, null, 2)}\n` : table)
    if (interrupt.signal.aborted) return interruptedCode
    return proofs.every(({ complaint }) => complaint === null) ? 0 : 1
  } finally {
    interrupt.release()
  }
}
