// Golden files: refactoring must not change them. Changed outcomes belong in the CHANGELOG.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startBuiltIn } from '../../cli/run/built-in.ts'
import { runSuites } from '../../engine/run/run.ts'
import { servers, vetServer } from '../../proof/subjects.ts'
import { catalogue } from '../../suites/index.ts'
import { sample } from '../sample.ts'
import { silent, testOptions } from '../vet-reference.ts'
import { goldenText } from './golden.ts'

const folder = join(import.meta.dirname, 'runs')
const fileOf = (name: string) => join(folder, `${name}.txt`)

test('the reference', { timeout: 60_000 }, async () => {
  const { target, close } = await startBuiltIn()
  try {
    const own = { ...target, maxRequests: 10_000, responseTimeoutMs: 10_000 }
    const run = await runSuites(catalogue, testOptions(target.baseUrl, own), silent)
    await expect(goldenText(run, true)).toMatchFileSnapshot(fileOf('reference'))
  } finally {
    await close()
  }
})

const byId = new Map(servers.map((server) => [server.id, server]))
/** Servers with a golden file: 20 mutants and 10 legal variants. */
const kept = readdirSync(folder).flatMap((name) => byId.get(name.replace('.txt', '')) ?? [])

test('each golden file is that of a server', () => {
  expect(kept).toHaveLength(30)
  expect(readdirSync(folder)).toHaveLength(31)
})

// On a busy machine a further check may see a fault as well, once.
describe.concurrent('servers', { retry: 1 }, () => {
  test.for(sample(kept, 10))('$id', { timeout: 120_000 }, async (server, { expect }) => {
    const { judged, run } = await vetServer(server, 7)
    expect(judged.complaint).toBeNull()
    await expect(goldenText(run, false)).toMatchFileSnapshot(fileOf(server.id))
  })
})
