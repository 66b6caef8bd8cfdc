// What a page shows is found in an output that has it, and not in one that has not.
import { expect, test } from 'vitest'
import { missingIn } from './compare-shown.ts'

const output = 'FAIL  a-check\n  Expected  one of 7\nmore\n\nReport: petvet-runs/1\n'

test.for([
  ['the whole of it', 'FAIL  a-check\n  Expected  one of 9\nmore\n\nReport: petvet-runs/2\n', null],
  ['with a gap', 'FAIL  a-check\n...\nReport: petvet-runs/2\n', null],
  ['the rest of a line', 'FAIL  a-check\n  Expected ...\n', null],
  ['another word', 'FAIL  a-check\n  Expected  two of 9\n', '  Expected  two of 9'],
  ['a line that is skipped', 'FAIL  a-check\nmore\n', 'more'],
  ['the wrong order', '...\nmore\n...\nFAIL  a-check\n', 'FAIL  a-check'],
] as const)('%s', ([, shown, missing]) => {
  expect(missingIn(output, shown)).toBe(missing)
})
