// The kill table at three seeds; npm test compares a sample of it.
import { expect, test } from 'vitest'
import { workThrough } from '../../proof/pool.ts'
import type { Proof } from '../../proof/proof.ts'
import { subjects } from '../../proof/subject.ts'
import { killsFile, killsText } from '../golden/golden.ts'

const minuteMs = 60_000

test('all servers are judged as before', { timeout: 120 * minuteMs }, async () => {
  const proofs: Proof[] = []
  for (const seed of [7, 8, 9]) {
    proofs.push(
      ...(await workThrough<Proof>(subjects, seed, () => {}, new AbortController().signal)),
    )
  }
  await expect(killsText(proofs)).toMatchFileSnapshot(killsFile)
  const wrong = proofs.filter(({ complaint }) => complaint !== null)
  expect(wrong.map(({ id, seed, complaint }) => `${id}, seed ${seed}: ${complaint}`)).toEqual([])
})
