// The work of `petvet list`: the sentences of the interface, and all that asks about each.
import { matchesGlob } from 'node:path'
import { count } from '../engine/count.ts'
import type { Level } from '../spec/sentence.ts'
import type { ExplainedAsker, ExplainedRequirement } from './explain/explained.ts'
import { explainAll } from './explain/find.ts'
import { didYouMean } from './nearest.ts'
import { fitted, readingColumns } from './reading-width.ts'
import { UsageError } from './usage-error.ts'

export interface ListFlags {
  readonly only: readonly string[] | undefined
  readonly skip: readonly string[] | undefined
  readonly level: Level | undefined
  readonly json: boolean | undefined
}

export const runList = async (flags: ListFlags): Promise<number> => {
  const sentences = chosen(flags)
  const columns = readingColumns()
  const lines = () => sentences.flatMap(tellSentence).flatMap((line) => fitted(line, columns))
  process.stdout.write(
    flags.json
      ? `${JSON.stringify(sentences.map(asData), null, 2)}\n`
      : `${lines().join('\n')}\n\n${tellSum(sentences)}\n`,
  )
  return 0
}

const isSentence = (each: { readonly kind: string }): each is ExplainedRequirement =>
  each.kind === 'sentence'

const suiteOf = (id: string): string => id.slice(0, id.indexOf('.'))

/** By a glob of its own id or suite all of a sentence is meant, else those that the glob names. */
const ofGlobs = (
  { sentence, askers, kind }: ExplainedRequirement,
  globs: readonly string[],
  isKept: boolean,
): ExplainedRequirement | undefined => {
  const matches = (names: readonly string[]) =>
    globs.some((glob) => names.some((name) => matchesGlob(name, glob)))
  if (matches([sentence.id, suiteOf(sentence.id)])) {
    return isKept ? { kind, sentence, askers } : undefined
  }
  const left = askers.filter(({ id }) => matches([id]) === isKept)
  // A sentence about which nothing asks is left out by its own name alone.
  return left.length > 0 || (!isKept && askers.length === 0)
    ? { kind, sentence, askers: left }
    : undefined
}

const namesIn = (all: readonly ExplainedRequirement[]): string[] =>
  all.flatMap(({ sentence, askers }) => [
    sentence.id,
    suiteOf(sentence.id),
    ...askers.map(({ id }) => id),
  ])

const unlessIdle = (all: readonly ExplainedRequirement[], globs: readonly string[]): void => {
  const names = namesIn(all)
  const idle = globs.find((glob) => !names.some((name) => matchesGlob(name, glob)))
  if (idle === undefined) return
  throw new UsageError(`"${idle}" matches no check, sentence or suite${didYouMean(idle, names)}`)
}

const chosen = ({ only, skip, level }: ListFlags): readonly ExplainedRequirement[] => {
  const all = [...explainAll().values()].filter(isSentence)
  unlessIdle(all, [...(only ?? []), ...(skip ?? [])])
  return all
    .filter(({ sentence }) => level === undefined || sentence.level === level)
    .flatMap((each) => (only ? (ofGlobs(each, only, true) ?? []) : each))
    .flatMap((each) => (skip ? (ofGlobs(each, skip, false) ?? []) : each))
}

const asData = ({ sentence, askers }: ExplainedRequirement) => ({
  ...sentence,
  checks: askers.map(({ id, kind, costs, needs }) => ({ id, kind, costs, needs })),
})

/** The words that are needed, without what they stand for: `explain` tells that. */
const flagsIn = (needs: readonly string[]): string =>
  needs.flatMap((need) => /^--allow (\w+)/.exec(need)?.[1] ?? []).join(', ')

const tellAsker = ({ id, kind, costs, needs }: ExplainedAsker): string => {
  const flags = flagsIn(needs)
  const allowed = flags === '' ? '' : `; ${flags}`
  const isOfSuites = !kind.startsWith('load') && !kind.startsWith('domain')
  const cost = isOfSuites && kind !== 'invariant' ? `, ${costs[0]}` : ''
  return `    ${id}: ${kind}${cost}${allowed}`
}

const tellSentence = ({ sentence, askers }: ExplainedRequirement): string[] => [
  `${sentence.id} (${sentence.level})`,
  `  ${sentence.says}`,
  ...askers.map(tellAsker),
  ...(sentence.unasked === null ? [] : [`    no check: ${sentence.unasked}`]),
]

const tellSum = (sentences: readonly ExplainedRequirement[]): string => {
  const asked = sentences.flatMap(({ askers }) => askers).length
  const unasked = sentences.filter((each) => each.askers.length === 0).length
  const told = count(sentences.length, 'sentence', 'sentences')
  return `${told}, ${count(asked, 'check', 'checks')}; ${unasked} that nothing asks about`
}
