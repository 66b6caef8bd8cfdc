// Commands that only print (list, explain, plan), and known failures from file to exit code.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Variant } from '../../reference/compose.ts'
import { startReference } from '../../reference/start.ts'
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
    const { url, close } = await startReference({
      keys: [{ plan: 'free', key: 'key-1' }],
      store: 'memory',
      port: 0,
      variant: textLists,
      onFault: () => {},
    })
    onTestFinished(close)
    const folder = emptyFolder()
    const flags = known === null ? [] : ['--known', 'known.txt']
    if (known !== null) writeFileSync(join(folder, 'known.txt'), known)
    const only = ['--only', 'body-media-type-json', '--only', 'auth-unissued-*']
    const args = ['check', url, '--key', 'free=key-1', '--out', 'run', ...only, ...flags, ...more]
    return { folder, ...(await petvet(args, { folder })) }
  }

  test('exit 1 without a line, with the command to reproduce it', async () => {
    const { code, stdout, folder } = await run(null)
    const { seed } = readRunFile(join(folder, 'run'))
    expect(code).toBe(1)
    expect(stdout).toContain('FAIL  body-media-type-json')
    expect(stdout).toContain('Expected  Content-Type application/json')
    expect(stdout).toMatch(/ {2}Request {3}curl .*\$PETVET_KEY/)
    expect(stdout).toMatch(
      new RegExp(
        `Reproduce {1}petvet check http://\\S+/v1 .*--only body-\\S+ --only \\S+ --seed ${seed}`,
      ),
    )
  })

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

test('list prints each requirement with its checks', async () => {
  const folder = emptyFolder()
  const { code, stdout } = await petvet(['list', '--json'], { folder })
  expect(code).toBe(0)
  const most = JSON.parse(stdout).find(({ id }: { id: string }) => id === 'list.limit.most')
  const checks = [{ id: 'list-limit-most' }, { id: 'list-each-within-limit' }]
  expect(most).toMatchObject({ level: 'must', checks })
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

test('explain prints a check, its requirement, and its cost', async () => {
  const { stdout } = await petvet(['explain', 'list-limit-most'], { folder: emptyFolder() })
  expect(stdout).toContain('At most `limit` pets are returned.')
  expect(stdout).toMatch(/Costs {5}\d+ requests? with a key/)
})

test('explain with an unknown id is one line, with exit code 2', async () => {
  const folder = emptyFolder()
  const [none, wrong] = await Promise.all([
    petvet(['explain'], { folder }),
    petvet(['explain', 'list-limit-mosd'], { folder }),
  ])
  expect([none.code, none.stderr.split('\n')]).toEqual([2, [expect.any(String), '']])
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('list-limit-most?\n')])
})

test('plan prints requests, the duration and what more permissions would add', async () => {
  const args = ['plan', 'https://api.example.com/v1', '--key', 'free=key-1']
  const { code, stdout, stderr } = await petvet(args, { folder: emptyFolder() })
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain('checks; allowed: reads only.')
  expect(stdout).toMatch(/^free +\d+ +\d+ +\d+ .*\d+\.\d %$/m)
  expect(stdout).toMatch(/--allow write alone would add \d+/)
})
