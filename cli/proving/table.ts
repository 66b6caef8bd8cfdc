// The kill table: each mutant, what found it and what that cost; and whatever went wrong.
import type { Proof } from './proof.ts'

const shownMost = 3

const killers = ({ caughtBy, killedBy }: Proof): string => {
  const others = killedBy.filter((id) => id !== caughtBy)
  const shown = others.slice(0, shownMost).join(', ')
  const more = others.length > shownMost ? `, and ${others.length - shownMost} more` : ''
  return [caughtBy ?? '', shown === '' ? '' : `(also ${shown}${more})`].filter(Boolean).join(' ')
}

const row = (proof: Proof, width: number): string => {
  const mark = proof.complaint === null ? 'killed ' : 'MISSED '
  const requests = String(proof.requests).padStart(5)
  return `${mark} ${proof.id.padEnd(width)} ${requests}  ${killers(proof)}`
}

const count = (proofs: readonly Proof[], kind: Proof['kind']) => {
  const own = proofs.filter((proof) => proof.kind === kind)
  return { all: own.length, good: own.filter(({ complaint }) => complaint === null).length }
}

const complaints = (proofs: readonly Proof[]): string[] =>
  proofs
    .filter(({ complaint }) => complaint !== null)
    .map(({ kind, id, seed, complaint, says }) => {
      return `  ${kind} ${id} (${says}), seed ${seed}: ${complaint}`
    })

/**
 * The table of the first seed and the sums of all, as text for a terminal.
 * @param left how many an interruption left unproven; null where there was none
 */
export const killTable = (
  proofs: readonly Proof[],
  durationMs: number,
  left: number | null,
): string => {
  const mutants = proofs.filter(({ kind }) => kind === 'mutant')
  const width = Math.max(0, ...mutants.map(({ id }) => id.length))
  const [killed, quiet, barren] = [
    count(proofs, 'mutant'),
    count(proofs, 'legal'),
    count(proofs, 'constant'),
  ]
  const wrong = complaints(proofs)
  const seeds = [...new Set(proofs.map(({ seed }) => seed))]
  const firsts = mutants.filter(({ seed }) => seed === seeds[0])
  return [
    ...firsts.map((proof) => row(proof, width)),
    '',
    ...(left === null ? [] : [`interrupted, and ${left} more not proven; of those that were:`]),
    ...(seeds.length > 1 ? [`over the seeds ${seeds.join(', ')}:`] : []),
    `mutants: ${killed.good} of ${killed.all} killed by the check that claims them`,
    `legal variants: ${quiet.good} of ${quiet.all} without a false alarm`,
    `constant servers: ${barren.good} of ${barren.all} pass nothing`,
    `${Math.round(durationMs / 1000)} s`,
    ...(wrong.length > 0 ? ['', 'What is wrong:', ...wrong] : []),
    '',
  ].join('\n')
}
