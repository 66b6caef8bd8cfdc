// Where the values of flags and positions come from; what has to be loaded for them is loaded late.
import { planNames } from '../../spec/plans.ts'
import { ciNames } from '../ci-names.ts'
import type { Command } from '../command.ts'
import { formatNames } from '../format-names.ts'

export interface Candidate {
  readonly word: string
  readonly says: string
}

interface Words {
  readonly words: () => Promise<readonly Candidate[]>
  /** Several, with commas between them. */
  readonly isList?: boolean
  /** More follows in the same word. */
  readonly isOpen?: boolean
}

/** `files`: what the shell finds; `free`: a number, an address, or a text. */
export type Source = Words | 'files' | 'free'

const bare = (names: readonly string[]): readonly Candidate[] =>
  names.map((word) => ({ word, says: '' }))

const named = (names: readonly string[]): Words => ({ words: async () => bare(names) })

const asked: Words = {
  words: async () => {
    const { catalogue } = await import('../../suites/index.ts')
    const { requirement, requirementIds } = await import('../../spec/requirements.ts')
    const { suiteOf } = await import('../suite-of.ts')
    const says = (id: (typeof requirementIds)[number]) => requirement(id).says
    return [
      ...catalogue.map((each) => ({ word: each.id, says: says(each.requirement) })),
      ...requirementIds.map((id) => ({ word: id, says: says(id) })),
      ...[...new Set(catalogue.map(suiteOf))].map((word) => ({ word, says: 'a suite' })),
    ]
  },
}

const explained: Words = {
  words: async () => {
    const { scenarios } = await import('../../load/scenarios.ts')
    const verdicts = scenarios.flatMap(({ verdicts: own }) => own.map(({ id }) => id))
    return [...(await asked.words()), ...bare(verdicts)]
  },
}

const scenarioNames: Words = {
  words: async () => {
    const { scenarios } = await import('../../load/scenarios.ts')
    return bare(scenarios.map(({ id }) => id))
  },
}

const faultsOfDomains: Words = {
  words: async () => {
    const { domainSubjects } = await import('../proving/domain-proof.ts')
    return bare(domainSubjects.map(({ id }) => id))
  },
}

const faultsOfServers: Words = {
  words: async () => {
    const { subjects } = await import('../proving/subject.ts')
    const { loadMutants } = await import('../../reference/mutants/load.ts')
    return bare([...subjects, ...loadMutants].map(({ id }) => id))
  },
}

const proven: Words = {
  words: async () => {
    const { subjects } = await import('../proving/subject.ts')
    return [...bare(subjects.map(({ id }) => id)), ...(await faultsOfDomains.words())]
  },
}

const policyChoices: Words = {
  words: async () => {
    const { policies } = await import('../../spec/publishing/policies.ts')
    const pairs = Object.entries(policies).flatMap(([key, { question, choices }]) =>
      choices.map((choice) => ({ word: `${key}=${choice}`, says: question })),
    )
    return [...pairs, { word: 'list', says: 'tell them all' }]
  },
}

const keyed = { ...named(planNames.map((plan) => `${plan}=`)), isOpen: true }

/** By the command's words and the name, or by the name alone where it means the same in all. */
const sources: Readonly<Record<string, Source>> = {
  key: keyed,
  'serve keys': keyed,
  allow: { ...named(['write', 'exhaust', 'ban', 'day', 'none']), isList: true },
  only: asked,
  skip: asked,
  'mutants only': proven,
  'explain id': explained,
  scenario: scenarioNames,
  report: { ...named(formatNames), isList: true },
  'report as': { ...named(['terminal', 'json', ...formatNames]), isList: true },
  'serve mutant': faultsOfServers,
  'domains demo mutant': faultsOfDomains,
  'domains demo policy': policyChoices,
  plan: named(planNames),
  // Everywhere else it is a file; here the name of an authority.
  ...Object.fromEntries(
    ['check', 'watch', 'removed'].map((name) => [`domains ${name} ca`, 'free']),
  ),
  until: named(['dns', 'certificate', 'gone']),
  to: named(['k6', 'artillery']),
  ci: named(ciNames),
}

/** Flags and positions whose value is a file or a folder. */
const files = [
  ...['config', 'known', 'out', 'thresholds', 'store', 'run', 'more', 'old', 'new'],
  ...['domains', 'facts', 'facts-out', 'attest', 'ca-file', 'signal', 'ca', 'cert', 'cert-key'],
  'resume',
]

export const sourceOf = (path: readonly Command[], name: string): Source => {
  const words = path.map((each) => each.name).join(' ')
  const choices = path.at(-1)?.options[name]?.choices
  if (choices !== undefined) return named(choices.map(String))
  const source = sources[`${words} ${name}`] ?? sources[name]
  if (source !== undefined) return source
  return files.includes(name) ? 'files' : 'free'
}
