// Which run of a folder of runs is read.
import { mkdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderWith } from '../../tests/e2e/petvet.ts'
import { newestRunIn } from './earlier-run.ts'

/** Runs that were written one after the other. */
const folderOf = (...names: string[]): string => {
  const files = names.map((name) => `${name}/run.json`)
  const folder = folderWith(Object.fromEntries(files.map((file) => [file, '{}'])))
  for (const [at, file] of files.entries()) utimesSync(join(folder, file), 1_000 + at, 1_000 + at)
  return folder
}

test('the one that was written last, whatever it is called', () => {
  const folder = folderOf('c', 'a', 'b')
  mkdirSync(join(folder, 'z-without-a-run'))
  const newest = newestRunIn(folder)
  expect(newest?.place).toBe(join(folder, 'b'))
  expect(newest?.says).toBe(`${folder} holds 3 runs; the newest is ${join(folder, 'b')}`)
})

test('of the rounds of --watch the last one', () => {
  const folder = folderOf('a', 'b/1', 'b/2')
  expect(newestRunIn(folder)?.place).toBe(join(folder, 'b/2'))
})

test('none if the folder is a run itself, or has no runs', () => {
  const folder = folderOf('a')
  expect(newestRunIn(join(folder, 'a'))).toBeUndefined()
  expect(newestRunIn(join(folder, 'a', 'run.json'))).toBeUndefined()
  expect(newestRunIn(join(folder, 'gone'))).toBeUndefined()
  expect(newestRunIn(folderOf())).toBeUndefined()
})
