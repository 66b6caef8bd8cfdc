// The lock of a folder: it excludes other processes while its own lives, and no longer.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyFolder, folderWith } from '../../tests/e2e/petvet.ts'
import { readOrRefuse } from '../run/named-run.ts'
import { lockFolder } from './folder.ts'

test('a folder is locked once, and released', () => {
  const folder = emptyFolder()
  const release = lockFolder(folder)
  const said = `${folder} is being written by another run (process ${process.pid}; if that`
  expect(() => lockFolder(folder)).toThrow(said)
  expect(() => readOrRefuse(folder)).toThrow('delete run.lock): it has a report when it ends')
  release()
  expect(() => readOrRefuse(folder)).toThrow('there is no run')
  expect(readdirSync(folder)).toEqual([])
  lockFolder(folder)()
})

test.for(['', 'garbage', '-1', `${2 ** 30}`, `${process.pid}`])(
  'a lock of no live process keeps nobody out: %j',
  (text) => {
    const folder = folderWith({ 'run.lock': text })
    const release = lockFolder(folder)
    expect(readFileSync(join(folder, 'run.lock'), 'utf8')).toBe(`${process.pid}`)
    release()
    expect(existsSync(join(folder, 'run.lock'))).toBe(false)
  },
)
