// The lock of a folder: it excludes other processes while its own lives, and no longer.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyFolder, folderWith } from '../../tests/e2e/petvet.ts'
import { readOrRefuse } from '../run/earlier-run.ts'
import { inFolder } from './folder.ts'

test('a folder is locked once, and released', async () => {
  const folder = emptyFolder()
  const said = `${folder} is being written by another run (process ${process.pid}; if that`
  await inFolder(folder, async () => {
    await expect(inFolder(folder, () => {})).rejects.toThrow(said)
    expect(() => readOrRefuse(folder)).toThrow('delete run.lock): it has a report when it ends')
  })
  expect(() => readOrRefuse(folder)).toThrow('there is no run')
  expect(readdirSync(folder)).toEqual([])
  await inFolder(folder, () => {})
})

test.for(['', 'garbage', '-1', `${2 ** 30}`, `${process.pid}`])(
  'a lock of no live process keeps nobody out: %j',
  async (text) => {
    const folder = folderWith({ 'run.lock': text })
    await inFolder(folder, () => {
      expect(readFileSync(join(folder, 'run.lock'), 'utf8')).toBe(`${process.pid}`)
    })
    expect(existsSync(join(folder, 'run.lock'))).toBe(false)
  },
)
