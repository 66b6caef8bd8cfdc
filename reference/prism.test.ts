// Prism as a process: it serves the document, is restarted when it dies, and ends with its parent.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import { isProof } from '../tests/sample.ts'
import { startPrism } from './prism.ts'

const headers = { Authorization: 'Bearer any' }
const fetchStatus = async (url: string): Promise<number> => (await fetch(url, { headers })).status

const untilGone = (url: string): Promise<void> =>
  vi.waitFor(() => expect(fetch(url)).rejects.toThrow(), { timeout: 10_000 })

test.runIf(isProof)(
  'it serves the document, starts again after its death, and ends',
  async () => {
    const mock = await startPrism(0)
    onTestFinished(mock.close)
    expect(await fetchStatus(`${mock.url}/pets/1`)).toBe(200)
    await expect(fetch(`${mock.url}/pets/%zz`, { headers })).rejects.toThrow()
    const alive = async () => expect(await fetchStatus(`${mock.url}/pets/1`)).toBe(200)
    await vi.waitFor(alive, { timeout: 20_000 })
    await mock.close()
    await untilGone(mock.url)
  },
  60_000,
)

const bin = new URL('../bin/petvet.js', import.meta.url).pathname

const startMock = async (): Promise<{ mock: ChildProcess; url: string }> => {
  const mock = spawn(process.execPath, [bin, 'mock', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void mock.kill('SIGKILL'))
  const [line] = await once(mock.stdout as NodeJS.ReadableStream, 'data')
  return { mock, url: String(line).replace('petvet: api ', '').trim() }
}

test.runIf(isProof).each(['SIGINT', 'SIGKILL'] as const)(
  'Prism ends where petvet ends by %s',
  async (signal) => {
    const { mock, url } = await startMock()
    expect(await fetchStatus(`${url}/pets/1`)).toBe(200)
    mock.kill(signal)
    await once(mock, 'exit')
    await untilGone(url)
  },
  60_000,
)
