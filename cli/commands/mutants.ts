// `petvet mutants`: proves that every check can fail, and prints which mutant each one catches.
import { basename, dirname, matchesGlob, resolve } from 'node:path'
import { printDictionary } from '../../causes/dictionary.ts'
import { type DomainSubject, domainSubjects } from '../../domains/faults/subjects.ts'
import { writeWhole } from '../../reports/run-folder.ts'
import { command, type Given, number, text, texts, toggle } from '../command.ts'
import { seedBounds, wholeNumber } from '../config/values.ts'
import { domainsPackages, expectPackages } from '../optional-packages.ts'
import { workThrough } from '../proving/pool.ts'
import type { Proof } from '../proving/proof.ts'
import { entriesOf } from '../proving/signatures.ts'
import { type Subject, subjects } from '../proving/subject.ts'
import { type Interrupt, interruptedCode, onInterrupt } from '../run/interrupt.ts'
import { didYouMean, UsageError } from '../usage-error.ts'

const flags = {
  only: texts('glob of the mutants and variants to prove'),
  suite: {
    choices: ['contract', 'limits', 'domains'],
    describe: 'only those that this part of the suites is proven on',
  },
  list: toggle('print the ids of mutants and legal variants, and what each does, and run nothing'),
  seed: number('seed of everything that is generated [7]'),
  seeds: number('prove at so many seeds, beginning with --seed [1]'),
  json: toggle('the proofs as JSON'),
  dictionary: text('write the fault dictionary to a file instead: what each mutant fails'),
} as const

type MutantFlags = Given<typeof flags>

export const mutants = command(flags, async (given) => {
  const { servers, projects } = selected(given)
  if (given.list) return printList([...servers, ...projects.map(asListed)], given.json ?? false)
  const seeds = seedsOf(given)
  if (projects.length > 0) expectPackages('mutants', domainsPackages)
  const interrupt = onInterrupt()
  if (given.dictionary !== undefined) {
    return writeDictionary(given.dictionary, servers, seeds[0] ?? 0, interrupt)
  }
  const { signal } = interrupt
  const startMs = performance.now()
  const all = servers.length * seeds.length + projects.length
  const progress = new ProofProgress(all)
  const report = (proof: Proof) => progress.report(proof.id)
  const proofs: Proof[] = []
  try {
    for (const seed of seeds) {
      proofs.push(...(await workThrough(servers, 'proof', seed, report, signal)))
    }
    // No seed changes these.
    if (projects.length > 0) {
      const { proveDomains } = await import('../proving/domains.ts')
      proofs.push(...(await proveDomains(projects, seeds[0] ?? 0, report, signal)))
    }
    progress.end(signal.aborted)
    const unproven = signal.aborted ? all - proofs.length : null
    const table = killTable(proofs, performance.now() - startMs, unproven)
    process.stdout.write(given.json ? `${JSON.stringify(proofs, null, 2)}\n` : table)
    if (signal.aborted) return interruptedCode
    return proofs.every(({ complaint }) => complaint === null) ? 0 : 1
  } finally {
    interrupt.release()
  }
})

const asListed = (subject: DomainSubject): Listed => ({
  id: subject.id,
  kind: subject.kind,
  says: subject.kind === 'mutant' ? subject.fault : subject.does,
})

const printList = (all: readonly Listed[], asJson: boolean): number => {
  const rows = all
    .filter(({ kind }) => kind !== 'constant')
    .map(({ kind, id, says }) => ({ kind, id, says }))
  const lines = rows.map(({ kind, id, says }) => `${kind.padEnd(6)}  ${id}: ${says}\n`).join('')
  process.stdout.write(asJson ? `${JSON.stringify(rows, null, 2)}\n` : lines)
  return 0
}

type Listed = Pick<Proof, 'id' | 'says'> & { readonly kind: string }

const writeDictionary = async (
  file: string,
  servers: readonly Subject[],
  seed: number,
  { signal, release }: Interrupt,
): Promise<number> => {
  const all = servers.filter(({ kind }) => kind === 'mutant')
  const progress = new ProofProgress(all.length)
  try {
    const report = ({ id }: { readonly id: string }) => progress.report(id)
    const found = await workThrough(all, 'signatures', seed, report, signal)
    progress.end(signal.aborted)
    if (signal.aborted) return interruptedCode
    const entries = entriesOf(found)
    writeWhole(dirname(resolve(file)), basename(file), printDictionary(entries))
    process.stdout.write(`${file}: ${entries.length} entries of ${found.length} mutants\n`)
    return 0
  } finally {
    release()
  }
}

/** Variants of the server, and published projects, which have checks of their own. */
const selected = ({ only, suite }: MutantFlags) => {
  const isSelected = ({ id }: { id: string }) => only?.some((glob) => matchesGlob(id, glob)) ?? true
  const servers = subjects
    .filter(
      (each) =>
        suite === undefined || suite === (each.suite === 'contract' ? each.suite : 'limits'),
    )
    .filter(isSelected)
  const isWithDomains = suite === undefined || suite === 'domains'
  const projects = isWithDomains ? domainSubjects.filter(isSelected) : []
  if (servers.length + projects.length > 0) return { servers, projects }
  const ids = [...subjects, ...domainSubjects].map(({ id }) => id)
  const hint = didYouMean(only?.[0] ?? '', ids)
  throw new UsageError(`--only and --suite leave no mutant and no variant to prove${hint}`)
}

const seedsBounds = { min: 1, max: 1_000 }

const seedsOf = ({ seed = '7', seeds = '1' }: MutantFlags): number[] => {
  const first = wholeNumber('--seed', seed, seedBounds)
  const length = wholeNumber('--seeds', seeds, seedsBounds)
  return Array.from({ length }, (_, at) => (first + at) % (seedBounds.max + 1))
}

/** Without a terminal, a line of the log each half minute. */
const minLogIntervalMs = 30_000

class ProofProgress {
  private readonly all: number
  private readonly isTerminal = process.stderr.isTTY === true && process.env.TERM !== 'dumb'
  private done = 0
  private loggedMs = performance.now()

  constructor(all: number) {
    this.all = all
    process.stderr.write(`petvet: ${all} to prove\n`)
  }

  report(id: string): void {
    const { stderr } = process
    this.done += 1
    if (this.isTerminal) {
      const line = `${this.done}/${this.all} ${id}`
      stderr.write(`\r${line.slice(0, Math.max(1, (stderr.columns || 80) - 1))}\u001b[K`)
    } else if (performance.now() - this.loggedMs >= minLogIntervalMs) {
      this.loggedMs = performance.now()
      stderr.write(`petvet: ${this.done} of ${this.all} proven\n`)
    }
  }

  end(isInterrupted: boolean): void {
    const { stderr } = process
    if (this.isTerminal && this.done > 0) stderr.write('\r\u001b[K')
    if (isInterrupted)
      stderr.write(`petvet: interrupted; ${this.done} of ${this.all} were proven\n`)
  }
}

/**
 * The mutants of the first seed and the totals of all seeds, as text for a terminal.
 * @param unproven how many an interruption left unproven; null where there was none
 */
export const killTable = (
  proofs: readonly Proof[],
  durationMs: number,
  unproven: number | null,
): string => {
  const seeds = [...new Set(proofs.map(({ seed }) => seed))]
  const killed = proofs.filter(({ kind }) => kind === 'mutant')
  const width = Math.max(0, ...killed.map(({ id }) => id.length))
  const wrong = proofs.filter(({ complaint }) => complaint !== null)
  const total = (kind: Proof['kind']) => {
    const own = proofs.filter((proof) => proof.kind === kind)
    const valid = own.filter(({ complaint }) => complaint === null)
    return `${valid.length} of ${own.length}`
  }
  return [
    ...killed.filter(({ seed }) => seed === seeds[0]).map((proof) => killLine(proof, width)),
    '',
    ...(unproven === null ? [] : [`interrupted, and ${unproven} more not proven; of the others:`]),
    ...(seeds.length > 1 ? [`over the seeds ${seeds.join(', ')}:`] : []),
    `mutants: ${total('mutant')} killed by the check that claims them`,
    `legal variants: ${total('legal')} without a false alarm`,
    `constant servers: ${total('constant')} pass nothing`,
    `${Math.round(durationMs / 1000)} s`,
    ...(wrong.length > 0 ? ['', 'What is wrong:', ...wrong.map(complaintLine)] : []),
    '',
  ].join('\n')
}

const maxShown = 3

const killLine = (proof: Proof, width: number): string => {
  const { id, caughtBy, killedBy, complaint } = proof
  const others = killedBy.filter((each) => each !== caughtBy)
  const shown = others.slice(0, maxShown).join(', ')
  const more = others.length > maxShown ? `, and ${others.length - maxShown} more` : ''
  const killers = [caughtBy ?? '', shown === '' ? '' : `(also ${shown}${more})`].filter(Boolean)
  const mark = complaint === null ? 'killed ' : 'MISSED '
  return `${mark} ${id.padEnd(width)} ${String(proof.requests).padStart(5)}  ${killers.join(' ')}`
}

const complaintLine = ({ kind, id, seed, complaint, says }: Proof): string =>
  `  ${kind} ${id} (${says}), seed ${seed}: ${complaint}`
