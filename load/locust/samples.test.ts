// Files that cannot be read; what those of workers contain is tested with the command.
import { expect, test } from 'vitest'
import { readSamples } from './samples.ts'

test.for([
  [0, 'give 1 to 1000 samples-*.ndjson'],
  [1_000, /^ENOENT.+no-such-file/],
  [1_001, 'give 1 to 1000 samples-*.ndjson'],
] as const)('of %i files: %s', async ([count, message]) => {
  await expect(readSamples(Array<string>(count).fill('no-such-file'))).rejects.toThrow(message)
})
