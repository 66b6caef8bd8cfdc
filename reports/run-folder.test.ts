// The folder of a run: created with its parents, or refused at once.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyFolder } from '../tests/e2e/petvet.ts'
import { makeFolder } from './run-folder.ts'

test('a folder is created with its parents, and may exist', () => {
  const folder = join(emptyFolder(), 'a/b/c')
  makeFolder(folder)
  makeFolder(folder)
  expect(existsSync(folder)).toBe(true)
})

test('a folder that cannot be created is an error', () => {
  expect(() => makeFolder('/dev/null/run')).toThrow()
  expect(() => makeFolder('/proc/run')).toThrow()
})
