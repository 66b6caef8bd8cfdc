// A run of 100,000 exchanges is reported in little memory: they are read one by one.
import { spawnSync } from 'node:child_process'
import { closeSync, copyFileSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyFolder } from '../e2e/petvet.ts'
import { fakeExchanges } from '../fake-recorded.ts'
import { root } from '../layout/sources.ts'

const heapMib = 96

test(`100,000 exchanges of 4 kB become a page of less than 3 MB in ${heapMib} MiB`, () => {
  const folder = emptyFolder()
  copyFileSync(join(root, 'reports/samples/run.json'), join(folder, 'run.json'))
  const exchanges = join(folder, 'exchanges.ndjson')
  const file = openSync(exchanges, 'w')
  for (const exchange of fakeExchanges(100_000, '[]'.repeat(2_000))) {
    writeSync(file, `${JSON.stringify(exchange)}\n`)
  }
  closeSync(file)
  expect(statSync(exchanges).size).toBeGreaterThan(400_000_000)

  const out = join(folder, 'reports')
  const args = ['report', folder, '--as', 'html', '--out', out]
  const { status, stderr } = spawnSync(
    process.execPath,
    [`--max-old-space-size=${heapMib}`, join(root, 'bin/petvet.js'), ...args],
    { encoding: 'utf8' },
  )
  expect([status, stderr]).toEqual([0, ''])
  const page = readFileSync(join(out, 'report.html'), 'utf8')
  expect(page).toContain('calls were refused')
  expect(page).toContain('left out')
  expect(page.length).toBeLessThan(3_000_000)
})
