// The lock of a folder: it excludes other processes while its own lives, and no longer.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { emptyFolder, folderWith } from '../../tests/e2e/petvet.ts'
import { readOrRefuse } from '../run/read-run.ts'
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

/** Takes the folder, says so, and stays. */
const locking = (folder: string): string =>
  `import { lockFolder } from ${JSON.stringify(join(import.meta.dirname, 'folder.ts'))}
    lockFolder(${JSON.stringify(folder)})
    console.log(process.pid)
    setInterval(() => {}, 1000)`

const asCode = ['--input-type=module-typescript', '-e']

test('the lock of a killed process excludes nobody', async () => {
  const folder = emptyFolder()
  const child = spawn(process.execPath, [...asCode, locking(folder)])
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  await once(child.stdout, 'data')
  expect(() => lockFolder(folder)).toThrow(`(process ${child.pid};`)
  child.kill('SIGKILL')
  await once(child, 'close')
  lockFolder(folder)()
})
