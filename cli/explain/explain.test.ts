// Every check is explained: in words, with mutants to see, as JSON of its schema.
import { describe, expect, test } from 'vitest'
import { domainChecks, judge } from '../../domains/check/judge/judge-domain.ts'
import { requirementIds } from '../../spec/requirements.ts'
import { compileWhole } from '../../spec/schemas.ts'
import { catalogue } from '../../suites/index.ts'
import {
  goodRecords,
  host,
  makeFacts,
  makeProbe,
  makeTable,
} from '../../tests/fakes/fake-domain-facts.ts'
import { findExplanations, formatExplained } from '../commands/explain.ts'
import { explainAll } from './explain-all.ts'
import schema from './explained.schema.json' with { type: 'json' }

const all = [...explainAll().values()]
const checks = all.flatMap((each) => ('fails' in each ? [each] : []))
const ids = catalogue.map(({ id }) => id)

describe('the words', () => {
  test('every check, verdict and check of a domain has its own', () => {
    const bare = checks.filter(({ sends, fails }) => !/\.$/.test(sends) || !/\.$/.test(fails))
    expect(bare.map(({ id }) => id)).toEqual([])
  })

  test('the checks of domains are those that are judged', () => {
    const facts = makeFacts(
      [makeTable(goodRecords)],
      [makeProbe({})],
      {},
      {
        primary: host,
        redirects: [{ from: 'old.zoo.example', to: host, status: 301 }],
      },
    )
    const removal = { host, before: [] }
    const made = [...judge(facts), ...judge({ ...facts, removal })]
    const judged = new Set(made.map(({ check }) => check))
    expect([...judged].sort()).toEqual(domainChecks.map(({ id }) => id).sort())
  })
})

test('each mutant that a check finds has the command to see it', () => {
  const shown = checks.flatMap(({ mutants }) => mutants)
  expect(shown.length).toBeGreaterThan(500)
  expect(shown.filter(({ see, id }) => !see.endsWith(id))).toEqual([])
})

describe('the output', () => {
  test('every requirement and check is explained as JSON of its schema', () => {
    expect(all.length).toBeGreaterThan(requirementIds.length + ids.length)
    expect(compileWhole(schema)(all)).toEqual([])
  })

  test.for([60, 80])('all but commands fits %s columns', (columns) => {
    const lines = all.flatMap((each) => formatExplained(each, columns))
    const wide = lines.filter((line) => line.length > columns && !/ petvet /.test(line))
    expect(wide.filter((line) => line.trim().includes(' '))).toEqual([])
  })

  test('a check is found by its name in a report, and several by a glob', () => {
    expect(findExplanations('domain-cname@docs.example.com')).toMatchObject([
      { id: 'domain-cname' },
    ])
    expect(findExplanations('status-due@list.success')).toMatchObject([
      { kind: 'requirement', requirement: { id: 'list.success' } },
    ])
    expect(findExplanations('list-limit-{most,bounds-200}')).toHaveLength(2)
  })

  test('an unknown id is reported with the nearest one', () => {
    expect(() => findExplanations('list-limit-mosd')).toThrow('did you mean list-limit-most?')
    expect(() => findExplanations('nothing-of-the-kind-at-all')).toThrow('petvet list prints')
  })
})
