// JUnit XML, in the form that GitLab, Jenkins and the actions of GitHub read, and valid by the
// schema of Jenkins' xUnit plugin; the door for XML.

import { XMLBuilder } from 'fast-xml-parser'
import type { CheckResult, RunFile } from '../engine/check/run-file.ts'
import { failedThresholds } from '../engine/check/verdict.ts'
import { namedRequirement } from './by-heading.ts'
import { headlineFor, plainLines } from './failure.ts'
import type { KnownVerdict } from './known-failures.ts'
import { hasSeed, type Source, totals } from './summary.ts'
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
  const cases = listCases(source)
  const suites = Map.groupBy(cases, (each) => String(each['@classname']))
  // The schema counts what is skipped by suite alone.
  const { '@skipped': _, ...counts } = countsOf(cases)
  return builder.build({
    '?xml': { '@version': '1.0', '@encoding': 'UTF-8' },
    testsuites: {
      '@name': 'petvet',
      ...counts,
      '@time': seconds(run.durationMs),
      testsuite: [...suites].map(([name, own]) => suiteElement(name, own, run)),
    },
  })
}

/** Every check, and what else a build has to know. No two cases of a report share a name. */
const listCases = (source: Source): Element[] => {
  const { run, known } = source
  return [
    ...run.checks.map((result) => checkCase(result, source)),
    ...(run.impossible === null
      ? []
      : [
          caseElement('Run', 'The run can be held.', 0, {
            error: { '@type': 'harness', ...messageOf(run.impossible) },
          }),
        ]),
    ...[...known.stale].map(([id, message]) =>
      caseElement('Known failures', `${id} fails, as it is known to.`, 0, {
        failure: { '@type': 'stale-known', ...messageOf(message) },
      }),
    ),
  ]
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(3)

const suiteElement = (name: string, cases: readonly Element[], run: RunFile): Element => ({
  '@name': name,
  '@timestamp': run.startedAt,
  ...countsOf(cases),
  '@time': cases.reduce((sum, each) => sum + Number(each['@time']), 0).toFixed(3),
  properties: {
    property: [
      ...(hasSeed(run) ? [['seed', String(run.seed)] as const] : []),
      ['target', run.target.baseUrl] as const,
      ['petvet', run.petvet] as const,
      ['interface', run.interface] as const,
      ['totals', totals(run)] as const,
      ...run.notes.map((note) => ['note', note] as const),
    ].map(([name, value]) => ({ '@name': name, '@value': visible(value) })),
  },
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

const checkCase = (result: CheckResult, { run, known }: Source): Element => {
  const { section, says } = namedRequirement(result)
  // The heading of the interface, without the row or rule below it.
  const suite = section.replace(/[, ]+(?:rule )?\d+$/, '')
  const name = `${result.requirement} · ${says} · ${result.id}`
  return caseElement(suite, name, result.durationMs, {
    ...endOf(result, run, known),
    ...notesOf(result, known),
  })
}

const caseElement = (suite: string, name: string, durationMs = 0, children: Element): Element => ({
  '@classname': suite,
  '@name': visible(name),
  '@time': seconds(durationMs),
  ...children,
})

/** What a case that passes has to say: a case has no properties. */
const notesOf = ({ id, outcome, detail }: CheckResult, { moved }: KnownVerdict): Element => {
  const pinned = moved.get(id)
  const notes = [
    ...(outcome === 'warn' ? [`warning: ${detail}`] : []),
    ...(pinned === undefined ? [] : [`pinned: ${pinned}`]),
  ]
  return notes.length > 0 ? { 'system-out': notes.map(visible).join('\n') } : {}
}

/** The one child element by which readers know a case that did not pass. */
const endOf = (result: CheckResult, run: RunFile, { excused }: KnownVerdict): Element => {
  const { id, outcome, because, detail, level } = result
  if (excused.has(id)) return { skipped: messageOf(`known: ${excused.get(id)}`) }
  if (failedThresholds([result]).violated.length > 0) {
    return { failure: { '@type': 'THRESHOLD', ...failureOf(run, result) } }
  }
  switch (outcome) {
    case 'pass':
    case 'warn':
      return {}
    case 'fail':
      return { failure: { '@type': level.toUpperCase(), ...failureOf(run, result) } }
    case 'error':
      return { error: { '@type': 'harness', ...failureOf(run, result) } }
    default:
      return { skipped: messageOf(`${outcome}${because ? ` (${because})` : ''}: ${detail}`) }
  }
}

const messageOf = (text: string): Element => ({ '@message': visible(text) })

/** The message has the headline, since some readers show nothing else. */
const failureOf = (run: RunFile, result: CheckResult): Element => {
  const headline = headlineFor(run, result)
  return {
    ...messageOf(headline === '' ? result.detail : `${headline}; ${result.detail}`),
    '#text': plainLines(run, result).join('\n'),
  }
}
