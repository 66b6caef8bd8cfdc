// The lock of a folder: it keeps others out while its process lives, and no longer.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lockFolder } from './run-lock.ts'

const emptyFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'petvet-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('a folder is taken once, and given back', () => {
  const folder = emptyFolder()
  const release = lockFolder(folder)
  expect(() => lockFolder(folder)).toThrow(
    `${folder} is being written by another run (process ${process.pid})`,
  )
  release()
  expect(readdirSync(folder)).toEqual([])
  lockFolder(folder)()
})

test.for([
  ['of another start of that process', () => ({ pid: process.pid, began: 'long ago' })],
  ['of no process', () => ({ pid: 2 ** 30, began: 'long ago' })],
] as const)('a lock %s keeps nobody out', ([, holder]) => {
  const folder = emptyFolder()
  writeFileSync(join(folder, 'run.lock'), JSON.stringify(holder()))
  const release = lockFolder(folder)
  expect(JSON.parse(readFileSync(join(folder, 'run.lock'), 'utf8')).pid).toBe(process.pid)
  release()
})

test.for(['', 'garbage', '{"pid":"1"}', '{"pid":-1,"began":""}'])('nor does %j', (text) => {
  const folder = emptyFolder()
  writeFileSync(join(folder, 'run.lock'), text)
  lockFolder(folder)()
  expect(existsSync(join(folder, 'run.lock'))).toBe(false)
})

test('what a killed process leaves keeps nobody out', async () => {
  const folder = emptyFolder()
  const lock = join(import.meta.dirname, 'run-lock.ts')
  const code = `import { lockFolder } from ${JSON.stringify(lock)}
    lockFolder(${JSON.stringify(folder)})
    console.log('locked')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', code])
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  await once(child.stdout, 'data')
  expect(() => lockFolder(folder)).toThrow(`(process ${child.pid})`)
  child.kill('SIGKILL')
  await once(child, 'close')
  lockFolder(folder)()
})
