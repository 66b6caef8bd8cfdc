// Commands that only print, known failures from file to exit code, and JSON on standard output.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Variant } from '../../reference/compose.ts'
import { serveReference } from '../serve-reference.ts'
import { emptyFolder, petvet, readRunFile } from './petvet.ts'

/** The reference with one fault: its lists are sent as text. */
const textLists: Variant = {
  handle: (honest) => async (request) => {
    const response = await honest(request)
    const headers = { ...response.headers, 'Content-Type': 'text/plain' }
    return response.body.startsWith('[') ? { ...response, headers } : response
  },
}

describe('known failures', () => {
  const run = async (known: string | null, ...more: string[]) => {
    const keys = [{ plan: 'free' as const, key: 'key-1' }]
    const { url } = await serveReference({ keys, variant: textLists })
    const folder = emptyFolder()
    const flags = known === null ? [] : ['--known', 'known.txt']
    if (known !== null) writeFileSync(join(folder, 'known.txt'), known)
    const only = ['--only', 'body-media-type-json', '--only', 'auth-unissued-*']
    const args = ['check', url, '--key', 'free=key-1', '--out', 'run', ...only, ...flags, ...more]
    return { folder, ...(await petvet(args, { folder })) }
  }

  test('exit 0 with one', async () => {
    const { code, stdout } = await run('body-media-type-json  The proxy says so.\n')
    expect(stdout).toContain('body-media-type-json: The proxy says so.')
    expect(code).toBe(0)
  })

  test('exit 1 with a stale one in addition', async () => {
    const known = 'body-media-type-json  The proxy.\nauth-unissued-list-401  It was so.\n'
    const { code, stderr } = await run(known, '--quiet')
    expect(stderr).toContain('1 failure known, 1 stale line')
    expect(code).toBe(1)
  })

  test('exit 2, and nothing sent, with a line about an unknown check', async () => {
    const known = '# known\nlist-limt-most  It was so.\nremoved-held@a.example  Another.\n'
    const { code, stdout, stderr, folder } = await run(known)
    expect(stderr).toBe(
      'petvet: --known known.txt: no check is called "list-limt-most"; ' +
        'did you mean list-limit-most?\n',
    )
    expect([code, stdout, existsSync(join(folder, 'run'))]).toEqual([2, '', false])
  })
})

test('list prints the selected checks only, and reports a glob that matches nothing', async () => {
  const folder = emptyFolder()
  const args = ['list', '--only', 'list.limit*', '--skip', '*-fraction', '--level', 'must']
  const { stdout } = await petvet(args, { folder })
  expect(stdout).toContain('    list-limit-most: property, 1 request with a key\n')
  expect(stdout).not.toMatch(/\((?:should|open)\)|list-limit-fraction|create-/)
  const { code, stderr } = await petvet(['list', '--only', 'bann'], { folder })
  expect([code, stderr]).toEqual([2, expect.stringContaining('did you mean ban?')])
})

test('check --json prints the run file, and no key', async () => {
  const key = 'sesame-0123456789'
  const { url } = await serveReference({ keys: [{ plan: 'free', key }] })
  const folder = emptyFolder()
  const flags = ['--only', 'list-sound-200', '--out', 'run', '--json']
  const args = ['check', url, '--key', 'free=$PET_KEY', ...flags]
  const { code, stdout, stderr } = await petvet(args, { folder, env: { PET_KEY: key } })
  expect([code, JSON.parse(stdout)]).toEqual([0, readRunFile(join(folder, 'run'))])
  expect(stderr).toMatch(/^petvet: target \S+\/v1\npetvet: seed \d+\n$/)
  expect(stdout + stderr).not.toContain(key)
})
