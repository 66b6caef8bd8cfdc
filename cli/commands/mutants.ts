// `petvet mutants`: proves that every check can fail, and prints which mutant each one catches.

import { chosenBy } from '../../config/run-settings.ts'
import { seedBounds, UsageError } from '../../config/values.ts'
import { count } from '../../history/quote.ts'
import { workThrough } from '../../proof/pool.ts'
import { type Proof, type Subject, subjects } from '../../proof/subjects.ts'
import * as cli from '../command.ts'
import { interruptible } from '../output/folder.ts'
import { createProgress, say } from '../output/progress.ts'

const flags = {
  only: cli.texts('glob of the mutants and variants to prove'),
  suite: {
    choices: ['contract', 'limits', 'domains'],
    describe: 'only those that this part of the suites is proven on',
  },
  list: cli.toggle('print the ids of mutants and legal variants, with what each does; run nothing'),
  seed: cli.number('seed of everything that is generated [default: 7]', seedBounds),
  seeds: cli.number('prove at so many seeds, beginning with --seed [default: 1]', {
    min: 1,
    max: 1_000,
  }),
  sockets: cli.toggle('over sockets, each with its own checks and keys; not in virtual time'),
  json: cli.toggle('the proofs as JSON'),
} as const

type MutantFlags = cli.Given<typeof flags>

export const mutants = cli.command(flags, (given) => {
  const found = selected(given)
  if (given.list) return printList(found, given.json ?? false)
  if (found.some(isProject)) cli.expectPackages('mutants', cli.domainsPackages)
  return interruptible((signal) => prove(found, given, signal))
})

/** No seed changes the proof of a published project. */
const isProject = ({ suite }: Subject): boolean => suite === 'domains'

const prove = async (
  chosen: readonly Subject[],
  given: MutantFlags,
  signal: AbortSignal,
): Promise<number> => {
  const { seed: first = 7, seeds: length = 1 } = given
  const seeds = Array.from({ length }, (_, at) => (first + at) % (seedBounds.max + 1))
  const subjectsAt = (seed: number) => chosen.filter((each) => seed === first || !isProject(each))
  const all = seeds.flatMap(subjectsAt).length
  const progress = createProgress({})
  let done = 0
  const report = ({ id }: Proof) => {
    progress.event({ kind: 'check', id, done, all })
    progress.tick()
    done += 1
  }
  const proofs: Proof[] = []
  say(`${all} to prove`)
  for (const seed of seeds) {
    const order = { kind: 'proof', seed, overSockets: given.sockets ?? false } as const
    proofs.push(...(await workThrough<Proof>(order, subjectsAt(seed), report, signal)))
  }
  progress.clear()
  const unproven = signal.aborted ? all - proofs.length : null
  const table = killTable(proofs, unproven)
  process.stdout.write(given.json ? `${JSON.stringify(proofs, null, 2)}\n` : table)
  return proofs.every(({ complaint }) => complaint === null) ? 0 : 1
}

const printList = (all: readonly Subject[], asJson: boolean) => {
  const variants = all.filter(({ kind }) => kind !== 'constant')
  const rows = variants.map(({ kind, id, says }) => ({ kind, id, says }))
  const lines = rows.map(({ kind, id, says }) => `${kind.padEnd(6)}  ${id}: ${says}\n`).join('')
  process.stdout.write(asJson ? `${JSON.stringify(rows, null, 2)}\n` : lines)
  return 0
}

/** Faults of the days are among those of the limits. */
const partOf = ({ suite }: Subject): MutantFlags['suite'] =>
  suite === 'contract' || suite === 'domains' ? suite : 'limits'

const selected = ({ only, suite }: MutantFlags): readonly Subject[] => {
  const what = 'mutant or variant that petvet mutants --list prints'
  const named = chosenBy({ only }, subjects, ({ id }) => [id], what)
  const found = named.filter((each) => suite === undefined || suite === partOf(each))
  if (found.length > 0) return found
  throw new UsageError('--only and --suite leave no mutant and no variant to prove')
}

/**
 * The mutants of the first seed and the totals of all seeds, as text for a terminal.
 * @param unproven how many an interruption left unproven; null where there was none
 */
export const killTable = (proofs: readonly Proof[], unproven: number | null): string => {
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
    ...(wrong.length > 0 ? ['', 'What is wrong:'] : []),
    ...wrong.map(
      ({ kind, id, seed, complaint, says }) =>
        `  ${kind} ${id} (${says}), seed ${seed}: ${complaint}`,
    ),
    '',
  ].join('\n')
}

const killLine = ({ id, requests, caughtBy, killedBy, complaint }: Proof, width: number) => {
  const others = killedBy.filter((each) => each !== caughtBy).length
  const mark = complaint === null ? 'killed' : 'MISSED'
  const also = others === 0 ? '' : ` (and ${count(others, 'other', 'others')})`
  return `${mark}  ${id.padEnd(width)} ${`${requests}`.padStart(5)}  ${caughtBy}${also}`
}
