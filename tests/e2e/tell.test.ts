// Commands that tell what there is, and known failures from the file to the exit code.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Variant } from '../../reference/compose.ts'
import { startReference } from '../../reference/start.ts'
import { emptyFolder, petvet, readRunFile } from './petvet.ts'

/** The reference with one fault: its lists are sent as text. */
const textLists: Variant = {
  handle: (honest) => async (request) => {
    const answer = await honest(request)
    const headers = { ...answer.headers, 'Content-Type': 'text/plain' }
    return answer.body.startsWith('[') ? { ...answer, headers } : answer
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

  test('exit 1 without a line, with all there is to see it again', async () => {
    const { code, stdout, folder } = await run(null)
    const { seed } = readRunFile(join(folder, 'run'))
    expect(code).toBe(1)
    expect(stdout).toContain('FAIL  body-media-type-json')
    expect(stdout).toContain('Expected  Content-Type application/json')
    expect(stdout).toMatch(/ {2}Request {3}curl .*\$PETVET_KEY/)
    expect(stdout).toMatch(
      new RegExp(
        `Again {5}petvet check http://\\S+/v1 .*--only body-media-type-json --seed ${seed}`,
      ),
    )
  })

  test('exit 0 with one', async () => {
    const { code, stdout } = await run('body-media-type-json  The proxy says so.\n')
    expect(stdout).toContain('body-media-type-json: The proxy says so.')
    expect(code).toBe(0)
  })

  test('exit 1 with a stale one beside it', async () => {
    const known =
      'body-media-type-json  The proxy.\nauth-unissued-list-401  It was so.\nno-such  Why.\n'
    const { code, stderr } = await run(known, '--quiet')
    expect(stderr).toContain('1 failure known, 2 stale lines')
    expect(code).toBe(1)
  })
})

test('list tells each sentence with its checks', async () => {
  const folder = emptyFolder()
  const { code, stdout } = await petvet(['list', '--json'], { folder })
  expect(code).toBe(0)
  const most = JSON.parse(stdout).find(({ id }: { id: string }) => id === 'list.limit.most')
  expect(most).toMatchObject({ level: 'must', checks: expect.arrayContaining(['list-limit-most']) })
  expect((await petvet(['list'], { folder })).stdout).toContain('    list-limit-most\n')
})

test('explain tells a check, its sentence, and what it costs', async () => {
  const { stdout } = await petvet(['explain', 'list-limit-most'], { folder: emptyFolder() })
  expect(stdout).toContain('At most `limit` animals are returned.')
  expect(stdout).toMatch(/Costs {4}\d+ requests on keys/)
})

test('plan tells requests, the least time and what more permissions would add', async () => {
  const args = ['plan', 'https://api.example.com/v1', '--key', 'free=key-1']
  const { code, stdout, stderr } = await petvet(args, { folder: emptyFolder() })
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain('and may: read only.')
  expect(stdout).toMatch(/^free +\d+ +\d+ +\d+ .*\d+\.\d %$/m)
  expect(stdout).toMatch(/--allow write alone would add \d+/)
})
