// JUnit XML, in the form that GitLab, Jenkins and the actions of GitHub read; the door for XML.
import { XMLBuilder } from 'fast-xml-parser'
import type { CheckResult, RunFile } from '../engine/check/run-file.ts'
import { type Case, listCases } from './cases.ts'
import { headlineFor, plainLines } from './failure.ts'
import type { KnownVerdict } from './known-failures.ts'
import { beforePasting, isDomainsRun, reproduceCheck } from './reproduce.ts'
import { type Source, totals } from './summary.ts'
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
  const { run } = source
  const cases = listCases(source).map((each) => caseElement(each, source))
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

/** Its suite is the heading of the interface, without the row or rule below it. */
const caseElement = (each: Case, { run, known }: Source): Element => ({
  '@classname': each.section.replace(/[, ]+(?:rule )?\d+$/, ''),
  '@name': visible(each.name),
  '@time': seconds(each.durationMs ?? 0),
  ...(each.result && { properties: propertiesOf(each.result, run, known) }),
  ...endOf(each, run),
})

const propertiesOf = (result: CheckResult, run: RunFile, { moved }: KnownVerdict): Element =>
  properties([
    ['level', result.level],
    ['requirement', result.requirement],
    ['outcome', result.outcome],
    ['requests', String(result.requests)],
    ['warning', result.outcome === 'warn' ? result.detail : undefined],
    ['pinned', moved.get(result.id)],
    ['headline', headlineFor(run, result).join('; ') || undefined],
  ])

/** The one child element by which readers know a case that did not pass. */
const endOf = ({ kind, message, excuse, result }: Case, run: RunFile): Element => {
  const failure = result ? failureOf(run, result) : messageOf(message)
  switch (kind) {
    case 'pass':
    case 'warn':
      return {}
    case 'threshold':
      return { failure: { '@type': 'THRESHOLD', ...failure } }
    case 'fail':
    case 'stale-known':
      return { failure: { '@type': result?.level.toUpperCase() ?? kind, ...failure } }
    case 'error':
      return { error: { '@type': 'harness', ...failure } }
    case 'known':
      return { skipped: messageOf(`known: ${excuse}`) }
    case 'untested':
      return { skipped: messageOf(`untested (${result?.because}): ${message}`) }
    default:
      return { skipped: messageOf(`${kind}: ${message}`) }
  }
}

const messageOf = (text: string): Element => ({ '@message': visible(text) })

/** The message has the headline, since some readers show nothing else. */
const failureOf = (run: RunFile, result: CheckResult): Element => {
  const earlier = result.evidence.slice(0, -1).map(({ curl }) => curl)
  return {
    ...messageOf([...headlineFor(run, result), result.detail].join('; ')),
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
