// The gate: only this user can enter it, and nothing of it is left.
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { atTestEnd } from '../tests/at-test-end.ts'
import { driven, ok, plain, serving, targetAt } from '../tests/drive.ts'
import { emptyFolder } from '../tests/e2e/petvet.ts'
import { drive } from './driver.ts'
import { openGate, type Reply } from './gate.ts'

const isWindows = process.platform === 'win32'

const send = (socketPath: string): Promise<number> =>
  new Promise((done, fail) => {
    const sent = request({ socketPath, path: '/' }, (response) => {
      response.resume().on('end', () => done(response.statusCode ?? 0))
    })
    sent.on('error', fail).end()
  })

const opening = async (carry: (reply: Reply) => void) => {
  const gate = await openGate(2, carry)
  atTestEnd(async () => gate.close())
  return gate
}

test.for([
  [200, 200],
  ...[[429, 429] as const, [599, 599] as const, [0, 599] as const, [999, 599] as const],
] as const)('a reply %i is a response %i', async ([status, replied]) => {
  const gate = await opening((reply) => reply(status ?? 0))
  expect(await send(gate.socketPath)).toBe(replied)
})

test.skipIf(isWindows)('its folder is for this user alone, and gone afterwards', async () => {
  const gate = await openGate(1, () => {})
  const folder = dirname(gate.socketPath)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(dirname(folder)).toBe(tmpdir())
  // A request that is held when the gate closes is not answered.
  const held = send(gate.socketPath)
  const refused = expect(held).rejects.toThrow()
  gate.close()
  expect(existsSync(folder)).toBe(false)
  await refused
})

test.skipIf(isWindows)('a temporary folder with a long name is not used', async () => {
  const long = join(emptyFolder(), 'a'.repeat(80))
  mkdirSync(long)
  vi.stubEnv('TMPDIR', long)
  const gate = await opening((reply) => reply(200))
  expect(gate.socketPath.length).toBeLessThanOrEqual(103)
  expect(await send(gate.socketPath)).toBe(200)
  vi.unstubAllEnvs()
})

test.skipIf(isWindows)(
  'a load leaves nothing in the temporary folder, a failed one included',
  async () => {
    const folder = emptyFolder()
    vi.stubEnv('TMPDIR', folder)
    const server = await serving(() => ok)
    await driven(server.origin)
    const faulty = drive(targetAt(server.origin, {}), plain, () => {
      throw new Error('full')
    })
    await expect(faulty).rejects.toThrow('full')
    vi.unstubAllEnvs()
    expect(readdirSync(folder)).toEqual([])
  },
)
