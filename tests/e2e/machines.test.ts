// One load on two machines, as two people would start it, made one run; and scripts for k6.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startReference } from '../../reference/start.ts'
import { allText, emptyFolder, petvet, readRunFile } from './petvet.ts'

const secrets = { ONE: 'petvet-machine-key-one', TWO: 'petvet-machine-key-two' }

const startServer = () =>
  startReference({
    keys: Object.values(secrets).map((key) => ({ plan: 'business', key })),
    store: 'memory',
    port: 0,
    onFault: (fault) => {
      throw fault
    },
  })

/** Each command starts a Node of its own, beside others. */
const patient = { timeout: 30_000 }

const keys = ['--key', 'business=$ONE', '--key', 'business=$TWO']

test('two machines take a key each, and their runs add up', patient, async () => {
  const server = await startServer()
  const how = { folder: emptyFolder(), env: secrets }
  const load = (shard: string, out: string) =>
    petvet(
      [
        ...['load', server.url, ...keys, '--scenario', 'steady', '--duration', '1'],
        ...['--no-mock', '--no-reference', '--shard', shard, '--out', out],
      ],
      how,
    )
  const runs = await Promise.all([load('1/2', 'one'), load('2/2', 'two')])
  await server.close()
  expect(runs.map(({ stderr }) => stderr).join()).not.toContain('petvet-machine-key')
  const [one, two] = ['one', 'two'].map((name) => readRunFile(join(how.folder, name)))
  expect([one.shard, two.shard]).toEqual([
    { index: 1, of: 2 },
    { index: 2, of: 2 },
  ])
  const merged = await petvet(['report', '--merge', 'one', 'two', '--out', 'both'], how)
  expect(merged, merged.stderr).toMatchObject({ code: 0 })
  const both = readRunFile(join(how.folder, 'both'))
  expect(both.requests).toBe(one.requests + two.requests)
  const { sent, countsByKey, latency } = both.load[0].columns.target
  expect(sent).toBe(one.load[0].columns.target.sent + two.load[0].columns.target.sent)
  expect(Object.keys(countsByKey)).toEqual(['business-1', 'business-2'])
  expect(latency.count).toBe(sent)
  const twice = await petvet(['report', '--merge', 'one', 'one'], how)
  expect(twice).toMatchObject({
    code: 2,
    stderr: 'petvet: one and one are both of machine 1/2\n',
  })
})

test('scripts are written without a key, and nothing is sent', patient, async () => {
  const how = { folder: emptyFolder(), env: secrets }
  const address = 'http://127.0.0.1:9/v1'
  const to = (...args: string[]) => petvet(['load', address, ...keys, ...args], how)
  const written = await to('--to', 'k6', '--out', 'scripts')
  expect(written.code, written.stderr).toBe(0)
  expect(written.stderr).toContain('capacity was left out: it needs a larger key')
  const text = allText(join(how.folder, 'scripts'))
  expect(text).toContain("'business-2': textIn('PETVET_KEY_BUSINESS_2')")
  expect(text).not.toContain('petvet-machine-key')
  const one = await to('--to', 'artillery', '--scenario', 'steady')
  expect(one.stdout).toContain('arrivalCount: 800')
  for (const [args, says] of [
    [['--to', 'k6'], 'several scripts need a folder: --out DIR'],
    [['--shard', '3/2'], '--shard takes I/N, such as 1/3 for the first of three, not "3/2"'],
    [['--shard', '3/3'], 'no key is left for machine 3/3: each needs one of its own'],
  ] as const) {
    expect(await to(...args)).toMatchObject({ code: 2, stderr: `petvet: ${says}\n` })
  }
})
