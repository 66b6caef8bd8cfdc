// The example of CONTRIBUTING.md works: inserted where it says, its check finds its mutant.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import type { Invariant, Trace } from '../../engine/check/declare.ts'
import type { Mutant, Variant } from '../../reference/variant.ts'
import { fakeExchange } from '../fake-exchange.ts'
import { root, textOf } from '../layout/sources.ts'
import { serveReference } from '../serve-reference.ts'

const folder = mkdtempSync(join(tmpdir(), 'petvet-contributing-'))
afterAll(() => rmSync(folder, { recursive: true }))

const text = textOf('CONTRIBUTING.md')
const [requirement = '', check = '', mutant = ''] = [
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
  const file = join(folder, path.replaceAll('/', '-'))
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
    'suites/errors.ts',
    'export const errors: readonly AnyCheck[] = [',
    check,
  )
  const mutants = await withBlock(
    'reference/mutants/responses/errors.ts',
    'export const errorMutants: readonly Mutant[] = [',
    mutant,
  )
  const [first] = suite.errors as [Invariant]
  const [faulty] = mutants.errorMutants as [Mutant]
  expect(faulty.caughtBy).toBe(first.id)
  const trace = {} as Trace
  const [valid, violating] = [await refusalOf({}), await refusalOf(faulty)]
  expect([first.applies(valid), first.applies(violating)]).toEqual([true, true])
  expect(() => first.holds(valid, trace)).not.toThrow()
  expect(() => first.holds(violating, trace)).toThrow('at most 1,000 characters')
})
