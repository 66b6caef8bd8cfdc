// The lock of a folder: it keeps others out while its process lives, and no longer.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readOrRefuse } from './read-run.ts'
import { beingWritten, lockFolder } from './run-lock.ts'

const emptyFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'petvet-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('a folder is taken once, and given back', () => {
  const folder = emptyFolder()
  const release = lockFolder(folder)
  const said = `${folder} is being written by another run (process ${process.pid})`
  expect(() => lockFolder(folder)).toThrow(said)
  expect(() => readOrRefuse(folder)).toThrow(`${said}: it has a report when it ends`)
  release()
  expect(() => readOrRefuse(folder)).toThrow('there is no run')
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

/** Takes the folder, says so, and stays. */
const locking = (folder: string): string =>
  `import { lockFolder } from ${JSON.stringify(join(import.meta.dirname, 'run-lock.ts'))}
    lockFolder(${JSON.stringify(folder)})
    console.log(process.pid)
    setInterval(() => {}, 1000)`

const asCode = ['--input-type=module-typescript', '-e']

test.runIf(process.platform === 'linux')('nor does one that nobody reaps', async () => {
  const folder = emptyFolder()
  // What the shell becomes knows nothing of the process that the shell began.
  const script = '"$0" "$@" & exec sleep 60 >/dev/null 2>&1'
  const parent = spawn('sh', ['-c', script, process.execPath, ...asCode, locking(folder)])
  onTestFinished(() => {
    parent.kill('SIGKILL')
  })
  const [told] = await once(parent.stdout, 'data')
  expect(() => lockFolder(folder)).toThrow('being written by another run')
  process.kill(Number(told), 'SIGKILL')
  await expect.poll(() => beingWritten(folder)).toBeUndefined()
  expect(() => process.kill(Number(told), 0)).not.toThrow()
})

test('what a killed process leaves keeps nobody out', async () => {
  const folder = emptyFolder()
  const child = spawn(process.execPath, [...asCode, locking(folder)])
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  await once(child.stdout, 'data')
  expect(() => lockFolder(folder)).toThrow(`(process ${child.pid})`)
  child.kill('SIGKILL')
  await once(child, 'close')
  lockFolder(folder)()
})
