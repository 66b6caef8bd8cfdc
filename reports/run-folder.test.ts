// The folder of a run: made with those above it, or refused at once.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeFolder } from './run-folder.ts'

test('a folder is made with those above it, and may be there already', () => {
  const root = mkdtempSync(join(tmpdir(), 'petvet-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const folder = join(root, 'a/b/c')
  makeFolder(folder)
  makeFolder(folder)
  expect(existsSync(folder)).toBe(true)
})

test('where none can be made, this ends', () => {
  expect(() => makeFolder('/dev/null/run')).toThrow()
  expect(() => makeFolder('/proc/run')).toThrow()
})
