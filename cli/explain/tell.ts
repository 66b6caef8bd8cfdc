// An explanation as text for a terminal.

import { count } from '../../engine/count.ts'
import { wrapped } from '../../reports/visible.ts'
import type { Level } from '../../spec/sentence.ts'
import type {
  Explained,
  ExplainedAsker,
  ExplainedLegal,
  ExplainedRequirement,
  ExplainedScenario,
  ExplainedSentence,
} from './explained.ts'

const labelWidth = 9

/** A line as it stands, or a text to be wrapped behind what stands before its first line. */
type Told = string | { readonly head: string; readonly text: string }

/** A label, and what belongs to it. */
const row = (label: string, text: string): Told[] => [
  { head: `  ${label.padEnd(labelWidth)} `, text },
]

const rows = (label: string, texts: readonly string[]): Told[] =>
  texts.flatMap((text, at) => row(at === 0 ? label : '', text))

const levels: Readonly<Record<Level, string>> = {
  must: 'the document says so; a breach is a fail',
  should: 'HTTP or prudence says so, not the document; a breach is a warning',
  open: 'the document leaves it unsaid; what is seen is recorded, and nothing is a breach',
}

const tellSentence = ({ id, section, level, says }: ExplainedSentence): Told[] => [
  ...row('Sentence', says),
  ...row('', `${section}: ${id}`),
  ...row('Level', `${level}: ${levels[level]}`),
]

/** A command is not to be broken where it is pasted. */
const commandRows = (label: string, commands: readonly string[]): Told[] =>
  commands.map((command, at) => `  ${(at === 0 ? label : '').padEnd(labelWidth)} ${command}`)

const listRows = (label: string, all: readonly { id: string; says: string }[]): Told[] =>
  all.flatMap(({ id, says }, at) => row(at === 0 ? label : '', `${id}: ${says}`))

const legalMost = 12

/** The first of many; all of them are in the answer to --json. */
const tellLegal = (legal: readonly ExplainedLegal[]): Told[] => {
  const shown = legal.slice(0, legalMost).map(({ id, does }) => ({ id, says: does }))
  const more = legal.length - shown.length
  return [
    ...listRows('Legal', shown),
    ...(more > 0 ? row('', `and ${count(more, 'more', 'more')}: --json tells all`) : []),
  ]
}

const tellMutants = ({ mutants }: ExplainedAsker): Told[] => {
  const [first] = mutants
  if (!first) return []
  return [
    ...listRows(
      mutants.length === 1 ? 'Mutant' : 'Mutants',
      mutants.map(({ id, fault }) => ({ id, says: fault })),
    ),
    ...commandRows('See it', first.see),
  ]
}

const isOpen = ({ sentence }: ExplainedAsker): boolean => sentence.level === 'open'

const tellJudgement = (asker: ExplainedAsker): Told[] => [
  ...row(asker.kind === 'invariant' ? 'Judges' : 'Asks', asker.how.asks),
  ...row(isOpen(asker) ? 'Records' : 'Breach', asker.how.finds),
  ...(asker.how.open === null ? [] : row('Untested', `where ${asker.how.open}`)),
  ...rows('Costs', asker.costs),
  ...rows('Needs', asker.needs),
  ...(asker.when === null ? [] : row('When', asker.when)),
]

const nameOf = ({ id, kind }: ExplainedAsker): string => `${id} (${kind})`

/** What it has beside its sentence. */
const tellOwn = (asker: ExplainedAsker): Told[] => [
  ...tellJudgement(asker),
  ...tellLegal(asker.legal),
  ...tellMutants(asker),
  ...commandRows('Run it', [asker.run]),
]

const tellAsker = (asker: ExplainedAsker): Told[] => [
  nameOf(asker),
  ...tellSentence(asker.sentence),
  ...tellOwn(asker),
]

/** What tells it from its neighbours, which may ask the same. */
const briefOf = ({ how }: ExplainedAsker): string =>
  how.asks.startsWith('The same') ? how.finds : how.asks

/** Each in one line or two: explained whole, they would fill screens. */
const tellBriefly = (askers: readonly ExplainedAsker[]): Told[] =>
  askers.flatMap((asker) => ['', `  ${nameOf(asker)}`, { head: '    ', text: briefOf(asker) }])

const hint = 'petvet explain ID tells one of them whole.'

const tellRequirement = ({ sentence, askers }: ExplainedRequirement): Told[] => [
  `${sentence.id} (sentence)`,
  ...tellSentence(sentence),
  ...(sentence.unasked === null ? [] : row('No check', sentence.unasked)),
  ...(askers.length === 1
    ? askers.flatMap((asker) => ['', nameOf(asker), ...tellOwn(asker)])
    : tellBriefly(askers)),
  ...(askers.length > 1 ? ['', hint] : []),
]

const tellScenario = ({ id, says, needs, run, askers }: ExplainedScenario): Told[] => [
  `${id} (load scenario)`,
  ...row('Finds out', says),
  ...rows('Needs', needs.length > 0 ? needs : ['nothing']),
  ...commandRows('Run it', [run]),
  ...tellBriefly(askers),
  '',
  hint,
]

const toldOf = (explained: Explained): Told[] => {
  if (explained.kind === 'sentence') return tellRequirement(explained)
  return explained.kind === 'load scenario' ? tellScenario(explained) : tellAsker(explained)
}

/** @param columns how wide its lines may be; commands, which are pasted, stay whole */
export const tellExplained = (explained: Explained, columns: number): string[] =>
  toldOf(explained).flatMap((told) =>
    typeof told === 'string' ? [told] : wrapped(told.text, told.head, columns),
  )
