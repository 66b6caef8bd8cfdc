// The commands that show a mutant: the faulty server, and the one check that finds it.
import type { Question } from '../../engine/check.ts'
import type { Mutant } from '../../reference/mutant.ts'
import { keysOf, vettingOf } from '../proving/vetting.ts'

/**
 * How a mutant is seen: by its check alone, in a whole run, or only by `petvet mutants`. No flag
 * gives the numbers of an Enterprise key, and an invariant judges what other checks caused.
 */
const wayToSee = (
  { shownBy, keys }: Mutant,
  question: Question | undefined,
): 'alone' | 'whole run' | 'proof' => {
  if (keys?.includes('enterprise')) return 'proof'
  if (shownBy) return shownBy
  return question === undefined || question.kind === 'invariant' ? 'whole run' : 'alone'
}

const origin = 'http://127.0.0.1:8080'

/** As many keys as the proof has: one of two of a plan is for bans. */
const keyFlags = (mutant: Mutant): string[] =>
  keysOf(vettingOf(mutant.suite ?? 'contract', mutant.keys ?? [])).map(
    ({ plan }, at) => `${plan}=key-${at + 1}`,
  )

const serveCommand = (mutant: Mutant, keys: readonly string[]): string =>
  `petvet serve --port 8080 --clock 8081 --keys ${keys.join(',')} --mutant ${mutant.id}`

export const proofOf = (id: string): string => `petvet mutants --only ${id}`

/** @param check that catches it; undefined for the smoke call */
export const seeMutant = (mutant: Mutant, check: Question | undefined): readonly string[] => {
  const way = wayToSee(mutant, check)
  if (way === 'proof') return [proofOf(mutant.id)]
  const keys = keyFlags(mutant)
  const isOfDescription = check && 'needs' in check && check.needs.description
  const flags = [
    ...keys.map((key) => `--key ${key}`),
    `--clock ${origin.replace('8080', '8081')}/clock`,
    ...(isOfDescription ? [`--description ${origin}/openapi.json`] : []),
    ...(mutant.categories ?? []).map((category) => `--category ${category}`),
    ...(check && way === 'alone' ? [`--only ${check.id}`] : []),
  ]
  const base = `${origin}${mutant.basePath ?? '/v1'}`
  return [serveCommand(mutant, keys), ['petvet check', base, ...flags].join(' ')]
}

/** One of several keys of a plan is for bans, and two may be exhausted at once. */
const loadKeys = ['free=key-1', 'free=key-2', 'free=key-3']

/** The same for a fault that a load shows. */
export const seeUnderLoad = (mutant: Mutant, scenario: string): readonly string[] => [
  serveCommand(mutant, loadKeys),
  `petvet load ${origin}/v1 ${loadKeys.map((key) => `--key ${key}`).join(' ')} ` +
    `--clock ${origin.replace('8080', '8081')}/clock --scenario ${scenario}`,
]
