// A run while it happens: it ends if its files cannot be written, and leaves nothing running.
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { RunFile } from '../../engine/check/run-file.ts'
import type { RunSink } from '../../engine/run/run-options.ts'
import { WriteFault } from '../../reports/run-folder.ts'
import { emptyFolder } from '../../tests/e2e/petvet.ts'
import { folderWith } from '../../tests/interrupted-run.ts'
import { recorded } from './recorded.ts'

const record = (folder: string, run: (sink: RunSink) => void) => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const own = { folder, quiet: true, events: false }
  const ran = async (sink: RunSink) => {
    run(sink)
    return {} as RunFile
  }
  return recorded(own, new AbortController().signal, ran, { journal: 'resumed' })
}

test.for(['exchanges.ndjson', 'journal.ndjson'])('%s cannot be written', async (name) => {
  const folder = emptyFolder()
  mkdirSync(join(folder, name))
  const ended = record(folder, () => expect.unreachable('nothing is to be sent'))
  await expect(ended).rejects.toThrow(WriteFault)
  expect(vi.getTimerCount()).toBe(0)
})

test('no line is written after a missing one', async () => {
  const folder = folderWith({ journal: ['{}'], exchanges: [] })
  const failing = { toString: () => expect.unreachable('no text') } as unknown as string
  const ended = record(folder, (sink) => {
    sink.exchange?.('first')
    expect(() => sink.exchange?.(failing)).toThrow()
    expect(() => sink.exchange?.('second')).toThrow()
    expect(() => sink.journal?.('third')).toThrow()
  })
  await expect(ended).rejects.toThrow(WriteFault)
  expect(readFileSync(join(folder, 'exchanges.ndjson'), 'utf8')).toBe('first\n')
  expect(readFileSync(join(folder, 'journal.ndjson'), 'utf8')).toBe('{}\n')
  expect(vi.getTimerCount()).toBe(0)
})
