// The files of workers are read within limits; what they contain is tested with the command.
import { expect, test } from 'vitest'
import { readSamples } from './samples.ts'

test.for([
  [0, 'no file is given'],
  [1_000, /^no-such-file: ENOENT/],
  [1_001, '--from takes at most 1000 files'],
] as const)('of %i files: %s', async ([count, message]) => {
  await expect(readSamples(Array<string>(count).fill('no-such-file'))).rejects.toThrow(message)
})
