// The folder of a run: created with its parents, or refused at once.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeFolder } from './run-folder.ts'

test('a folder is created with its parents, and may exist', () => {
  const root = mkdtempSync(join(tmpdir(), 'petvet-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const folder = join(root, 'a/b/c')
  makeFolder(folder)
  makeFolder(folder)
  expect(existsSync(folder)).toBe(true)
})

test('a folder that cannot be created is an error', () => {
  expect(() => makeFolder('/dev/null/run')).toThrow()
  expect(() => makeFolder('/proc/run')).toThrow()
})
