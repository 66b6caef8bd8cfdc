// Which run of a folder of runs is read.
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { newestRunIn } from './read-run.ts'

const folderWith = (...names: string[]): string => {
  const folder = mkdtempSync(join(tmpdir(), 'petvet-newest-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [at, name] of names.entries()) {
    mkdirSync(join(folder, name))
    const file = join(folder, name, 'run.json')
    writeFileSync(file, '{}')
    utimesSync(file, 1_000 + at, 1_000 + at)
  }
  return folder
}

test('the one that was written last, whatever it is called', () => {
  const folder = folderWith('c', 'a', 'b')
  mkdirSync(join(folder, 'z-without-a-run'))
  const newest = newestRunIn(folder)
  expect(newest?.place).toBe(join(folder, 'b'))
  expect(newest?.says).toBe(`${folder} holds 3 runs; the newest is ${join(folder, 'b')}`)
})

test('none if the folder is a run itself, or has no runs', () => {
  const folder = folderWith('a')
  expect(newestRunIn(join(folder, 'a'))).toBeUndefined()
  expect(newestRunIn(join(folder, 'a', 'run.json'))).toBeUndefined()
  expect(newestRunIn(join(folder, 'gone'))).toBeUndefined()
  expect(newestRunIn(folderWith())).toBeUndefined()
})
