// JUnit XML, in the form that GitLab, Jenkins and the actions of GitHub read; the door for XML.
import { XMLBuilder } from 'fast-xml-parser'
import type { CheckResult, RunFile } from '../engine/run-file.ts'
import { likelyCause, plainLines } from './failure.ts'
import type { KnownVerdict } from './known.ts'
import { beforePasting, isDomainsRun, reproduceCheck } from './reproduce.ts'
import { checkTitle, requirementOf } from './requirements.ts'
import { type Case, casesBesides, type Source, totals } from './summary.ts'
import { visible } from './visible.ts'

const builder = new XMLBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  format: true,
  indentBy: '  ',
  suppressEmptyNode: true,
})

type Element = Readonly<Record<string, unknown>>

export const junit = (source: Source): string => {
  const { run, known } = source
  const cases = [
    ...run.checks.map((result) => caseOf(run, result, known)),
    ...casesBesides(source).map(caseBesides),
  ]
  const suites = Map.groupBy(cases, (each) => String(each['@classname']))
  return builder.build({
    '?xml': { '@version': '1.0', '@encoding': 'UTF-8' },
    testsuites: {
      '@name': 'petvet',
      ...countsOf(cases),
      '@time': seconds(run.durationMs),
      testsuite: [...suites].map(([name, own]) => suiteElement(name, own, run)),
    },
  })
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(3)

/** The heading of the interface, without the row or rule below it. */
const suiteOf = (result: CheckResult): string =>
  requirementOf(result).section.replace(/[, ]+(?:rule )?\d+$/, '')

const suiteElement = (name: string, cases: readonly Element[], run: RunFile): Element => ({
  '@name': name,
  '@timestamp': run.startedAt,
  ...countsOf(cases),
  '@time': cases.reduce((sum, each) => sum + Number(each['@time']), 0).toFixed(3),
  properties: properties([
    ['seed', isDomainsRun(run) ? undefined : String(run.seed)],
    ['target', run.target.baseUrl],
    ['petvet', run.petvet],
    ['interface', run.interface],
    ['totals', totals(run)],
    ...run.notes.map((note) => ['note', note] as const),
  ]),
  testcase: cases,
})

const countsOf = (cases: readonly Element[]): Element => {
  const having = (child: string) => String(cases.filter((each) => child in each).length)
  return {
    '@tests': String(cases.length),
    '@failures': having('failure'),
    '@errors': having('error'),
    '@skipped': having('skipped'),
  }
}

/** Those that have a value. */
const properties = (all: readonly (readonly [name: string, value: string | undefined])[]) => ({
  property: all.flatMap(([name, value]) =>
    value === undefined ? [] : [{ '@name': name, '@value': visible(value) }],
  ),
})

/** Readers drop a second case of the same name; the id of the check keeps names apart. */
const caseOf = (run: RunFile, result: CheckResult, known: KnownVerdict): Element => {
  const { id, level, requirement, outcome, requests, detail } = result
  return {
    '@classname': suiteOf(result),
    '@name': visible(checkTitle(result)),
    '@time': seconds(result.durationMs ?? 0),
    properties: properties([
      ['level', level],
      ['requirement', requirement],
      ['outcome', outcome],
      ['requests', String(requests)],
      ['warning', outcome === 'warn' ? detail : undefined],
      ['pinned', known.moved.get(id)],
      ['cause', likelyCause(run, result)?.fault],
    ]),
    ...childOf(run, result, known.excused.get(result.id)),
  }
}

/** The one child element by which readers know a case that did not pass. */
const childOf = (run: RunFile, result: CheckResult, excuse: string | undefined): Element => {
  const { outcome, because, detail } = result
  if (excuse !== undefined) return { skipped: message(`known: ${excuse}`) }
  switch (outcome) {
    case 'fail':
      return { failure: { '@type': result.level.toUpperCase(), ...failure(run, result) } }
    case 'error':
      return { error: { '@type': 'harness', ...failure(run, result) } }
    case 'untested':
      return { skipped: message(`untested (${because}): ${detail}`) }
    case 'observed':
    case 'inapplicable':
      return { skipped: message(`${outcome}: ${detail}`) }
    default:
      return {}
  }
}

const message = (text: string): Element => ({ '@message': visible(text) })

/** The message names the cause, since some readers show nothing else. */
const failure = (run: RunFile, result: CheckResult): Element => {
  const cause = likelyCause(run, result)
  const earlier = result.evidence.slice(0, -1).map(({ curl }) => curl)
  return {
    ...message(`${result.detail}${cause ? `; likely cause: ${cause.fault}` : ''}`),
    '#text': [
      ...plainLines(run, result, earlier),
      `Reproduce: ${reproduceCheck(run, result)}`,
      beforePasting(run).replaceAll('`', ''),
    ]
      .filter((line) => line !== '')
      .map(visible)
      .join('\n'),
  }
}

const caseBesides = ({ suite, name, kind, durationMs, message: text }: Case): Element => ({
  '@classname': suite,
  '@name': name,
  '@time': seconds(durationMs),
  ...(kind === 'measured' && { skipped: message(`measured: ${text}`) }),
  ...(kind === 'error' && { error: { '@type': 'harness', ...message(text) } }),
  ...(kind === 'stale-known' && { failure: { '@type': kind, ...message(text) } }),
})
