// The kill table has a line for each subject, with what the checks find there now.
import { expect, test } from 'vitest'
import { isProof, sample } from '../tests/sample.ts'
import { computeRecalls, type KillLine, readKillTable, recallText } from './kill-table.ts'
import { workThrough } from './pool.ts'
import { subjects } from './subjects.ts'

const table = readKillTable()

test('it has all subjects', () => {
  const facts = ({
    id,
    kind,
    says,
    caughtBy,
  }: Pick<KillLine, 'id' | 'kind' | 'says' | 'caughtBy'>) => [kind, id, says, caughtBy].join()
  expect(table.map(facts)).toEqual(subjects.map(facts))
})

test('a sample of it is found again', { timeout: 60 * 60_000 }, async () => {
  const expected = sample(table, 240)
  expect(await workThrough<KillLine>({ kind: 'line' }, expected)).toEqual(expected)
})

test('most mutants are found without the checks that were made for them', () => {
  const recalls = computeRecalls(table)
  if (isProof) console.log(recalls.map(recallText).join('\n'))
  const [own, family] = recalls.map(({ found, of }) => found / of)
  expect(own).toBeGreaterThanOrEqual(0.9)
  expect(family).toBeGreaterThanOrEqual(0.82)
})
