// Load scenarios as scripts for k6, without a key in them; nothing is sent.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allText, emptyFolder, petvet } from './petvet.ts'

const secrets = { ONE: 'petvet-export-key-one', TWO: 'petvet-export-key-two' }

/** Each command starts a Node of its own, in parallel with other tests. */
const patient = { timeout: 30_000 }

const keys = ['--key', 'business=$ONE', '--key', 'business=$TWO']

test('scripts are written without a key, and nothing is sent', patient, async () => {
  const how = { folder: emptyFolder(), env: secrets }
  const address = 'http://127.0.0.1:9/v1'
  const to = (...args: string[]) => petvet(['load', address, ...keys, ...args], how)
  const written = await to('--to', 'k6', '--out', 'scripts')
  expect(written.code, written.stderr).toBe(0)
  expect(written.stderr).toContain('fleet was left out: needs two keys')
  const text = allText(join(how.folder, 'scripts'))
  expect(text).toContain('PETVET_KEY_BUSINESS_2')
  expect(text).not.toContain('petvet-export-key')
  for (const [args, says] of [
    [['--to', 'k6'], '--to needs a folder: --out DIR'],
    [['--to', 'k7'], '--to takes k6, not "k7"'],
  ] as const) {
    expect(await to(...args)).toMatchObject({ code: 2, stderr: `petvet: ${says}\n` })
  }
})
