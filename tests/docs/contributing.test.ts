// The examples of CONTRIBUTING.md work, inserted where it says: the clause finds its mutant, the
// row is refused, the program passes.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import type { AnyCheck } from '../../engine/check/declare.ts'
import { createPet } from '../../engine/check/requests.ts'
import { pickBy } from '../../engine/check/row.ts'
import type { History } from '../../history/history.ts'
import { describeDue } from '../../history/statuses.ts'
import type { Clause } from '../../model/clause.ts'
import { dueOf } from '../../model/due.ts'
import type { Mutant, Variant } from '../../reference/variant.ts'
import type { Entry } from '../../suites/create/faults.ts'
import { fakeExchange, fakeTrace } from '../fakes/fake-exchange.ts'
import { root, textOf } from '../layout/sources.ts'
import { serveReference } from '../serve-reference.ts'
import { vetReference } from '../vet-reference.ts'

const folder = mkdtempSync(join(tmpdir(), 'petvet-contributing-'))
afterAll(() => rmSync(folder, { recursive: true }))

const text = textOf('CONTRIBUTING.md')
const [values = '', row = '', program = '', requirement = '', check = '', mutant = ''] = [
  ...text.matchAll(/```ts\n([^`]*(?:`[^`]+`[^`]*)*)```/g),
].map(([, block = '']) => block)

/** A copy of a file of ours with a block at the beginning of its list. */
const withBlock = (path: string, list: string, block: string): Promise<Record<string, unknown>> => {
  const own = join(root, path)
  const source = textOf(path).replace(list, `${list}\n${block}`)
  expect(source).toContain(block)
  const copy = source.replace(
    / from '(\.[^']+)'/g,
    (_, from: string) => ` from '${pathToFileURL(resolve(dirname(own), from))}'`,
  )
  const file = join(folder, `${block.length}-${path.replaceAll('/', '-')}`)
  writeFileSync(file, copy)
  return import(pathToFileURL(file).href)
}

/** A response of the reference to a request without a key, with or without the fault. */
const refusalOf = async (variant: Variant) => {
  const { url } = await serveReference({ keys: [], variant })
  const response = await fetch(`${url}/pets`)
  return fakeExchange('/pets', { status: response.status, body: await response.text() })
}

test('the example of CONTRIBUTING.md finds its mutant, and passes the reference', async () => {
  const requirements = await withBlock(
    'spec/requirements/resources.ts',
    'export const resources = {',
    requirement,
  )
  expect(requirements.resources).toMatchObject({ 'error.message-short': { level: 'should' } })
  const suite = await withBlock(
    'model/errors.ts',
    'export const errorClauses: readonly Clause[] = [',
    check,
  )
  const mutants = await withBlock(
    'reference/mutants/responses/errors.ts',
    'export const errorMutants = [',
    mutant,
  )
  const [first] = suite.errorClauses as [Clause]
  const [faulty] = mutants.errorMutants as [Mutant]
  expect(faulty.caughtBy).toBe(first.id)
  const trace = {} as History
  const [valid, violating] = [await refusalOf({}), await refusalOf(faulty)]
  expect([first.applies(valid), first.applies(violating)]).toEqual([true, true])
  expect(() => first.judge(valid, trace)).not.toThrow()
  expect(() => first.judge(violating, trace)).toThrow('at most 1,000 characters')
})

test('the row is refused by the reference, as it must be', async () => {
  const list = "...ofMember(\n    'status',"
  const { members } = await withBlock('suites/create/faults.ts', list, row)
  const added = (members as readonly Entry[]).filter(([words]) => /SOLD!|exclamation/.test(words))
  expect(added.map(([, , id]) => id)).toEqual(['status-exclamation-400', undefined])
  for (const [, fault] of added) {
    const body = fault({ name: 'petvet-1', categoryId: 1n }, pickBy(7))
    const exchange = fakeExchange(createPet(body), { status: 400, body: '{}' })
    expect(describeDue(dueOf(exchange, fakeTrace()))).toBe('status 400')
  }
})

test('the row and the program pass the reference', async () => {
  const { get } = await withBlock(
    'suites/get/ids.ts',
    'export const get: readonly AnyCheck[] = [',
    program,
  )
  const [first] = get as readonly [AnyCheck]
  const list = 'export const getUnknownIds: readonly AnyCheck[] = ['
  const { getUnknownIds } = await withBlock('suites/get/ids.ts', list, values)
  const [second] = getUnknownIds as readonly [AnyCheck]
  const { run } = await vetReference({}, { allow: ['write'] }, [first, second])
  const passed = run.checks.filter(({ outcome }) => outcome === 'pass').map(({ id }) => id)
  expect(passed).toEqual(expect.arrayContaining(['get-twice-200', 'get-id-roman-refused']))
})
