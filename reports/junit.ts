// JUnit XML, in the form that GitLab, Jenkins and the actions of GitHub read; the door for XML.
import { XMLBuilder } from 'fast-xml-parser'
import type { Outcome } from '../engine/check/outcome.ts'
import { type CheckResult, failedThresholds, type RunFile } from '../engine/check/run-file.ts'
import { namedRequirement } from './by-heading.ts'
import { headlineFor, plainLines } from './failure.ts'
import type { KnownVerdict } from './known-failures.ts'
import { describeFigures, loadColumns } from './load-lines.ts'
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

interface Case {
  /** The outcome of a check, unless its failure is known, or is a violated threshold. */
  readonly kind: Outcome | 'threshold' | 'known' | 'measured' | 'stale-known'
  readonly section: string
  /** No two cases of a report share it. */
  readonly name: string
  readonly message: string
  readonly durationMs?: number | undefined
  /** Why a failure is excused. */
  readonly excuse?: string | undefined
  readonly result?: CheckResult
}

/** Every check, and what else a build has to know. */
const listCases = ({ run, known }: Source): Case[] => [
  ...run.checks.map((result): Case => {
    const { id, requirement, detail, durationMs } = result
    const { section, says } = namedRequirement(result)
    const excuse = known.excused.get(id)
    const kind = excuse === undefined ? kindOf(result) : 'known'
    const name = `${requirement} · ${says} · ${id}`
    return { kind, section, name, message: detail, durationMs, excuse, result }
  }),
  // Figures have no verdict: thresholds on them are among the checks.
  ...loadColumns(run).map(({ scenario, says, column, figures }): Case => {
    const name = `${scenario} · ${says} · ${column}`
    const { durationMs } = figures
    return {
      kind: 'measured',
      section: 'Load',
      name,
      message: describeFigures(figures),
      durationMs,
    }
  }),
  ...(run.impossible === null ? [] : [notHeld(run.impossible)]),
  ...[...known.stale].map(([id, message]): Case => {
    const name = `${id} fails, as it is known to.`
    return { kind: 'stale-known', section: 'Known failures', name, message }
  }),
]

const kindOf = (result: CheckResult): Case['kind'] =>
  failedThresholds([result]).violated.length > 0 ? 'threshold' : result.outcome

const notHeld = (message: string): Case => {
  return { kind: 'error', section: 'Run', name: 'The run can be held.', message }
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
    ['headline', headlineFor(run, result) || undefined],
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
  const headline = headlineFor(run, result)
  return {
    ...messageOf(headline === '' ? result.detail : `${headline}; ${result.detail}`),
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
