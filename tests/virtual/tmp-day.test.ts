import { expect, test } from 'vitest'
import { proveAll } from '../../cli/proving/pool.ts'
import { subjects } from '../../cli/proving/subject.ts'
test('x', { timeout: 120_000 }, async () => {
  const sample = subjects.filter(({ id, suite }) => suite === 'days' || id.startsWith('enterprise'))
  const proofs = await proveAll(sample, 7, () => {}, new AbortController().signal)
  console.log(proofs.map((p) => `${p.id} ${p.complaint ?? 'ok'}`).join('\n'))
})
