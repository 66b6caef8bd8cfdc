// Files that cannot be read; what those of workers contain is tested with the command.
import { expect, test } from 'vitest'
import { readSamples } from './samples.ts'

test.for([
  [0, 'no samples-*.ndjson of a worker is given'],
  [2, /^ENOENT.+no-such-file/],
] as const)('of %i files: %s', async ([count, message]) => {
  await expect(readSamples(Array<string>(count).fill('no-such-file'))).rejects.toThrow(message)
})
