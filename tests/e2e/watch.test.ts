// The implementer's loop: a run that ends at its first failure, and one after each restart.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Variant } from '../../reference/variant.ts'
import { textOf } from '../layout/sources.ts'
import { freePort, serveWith } from '../raw-server.ts'
import { serveReference, textLists } from '../serve-reference.ts'
import { emptyFolder, folderWith, petvet, readRunFile, start } from './petvet.ts'

const key = 'petvet-test-key-watch'

/** A port that nobody else was given in the meantime, as far as a test can know. */
const serve = async (port: number, variant: Variant = {}) =>
  (await serveReference({ keys: [{ plan: 'free', key }], variant, port })).close

const only = ['--only', 'body-media-type-json', '--only', 'auth-unissued-*', '--out', 'runs']

test('waits for the server, and runs again when it is back', async () => {
  const port = await freePort()
  const folder = emptyFolder()
  const url = `http://127.0.0.1:${port}/v1`
  const flags = ['--watch', '--key', `free=${key}`, ...only]
  const watch = start(['check', url, ...flags], { folder })
  await watch.printedError(/waiting for the server to come back/)
  const close = await serve(port, textLists)
  await watch.printed(/FAIL {2}body-media-type-json/)
  await watch.printedError(/waiting for a restart of the server/)
  await close()
  await watch.printedError(/(?:waiting for the server.*){2}/s)
  await serve(port)
  await watch.printedError(/now passes: body-media-type-json\n/)
  watch.interrupt('SIGINT')
  const { code, stderr } = await watch.ended
  expect(code).toBe(130)
  expect(stderr).toContain('round 2 (the server came back), failed checks first')
  const page = textOf('docs/implementer.md')
  const [, shown = ''] = /^```text changes\n(.*?)^```$/ms.exec(page) ?? []
  const said = stderr.split('\n')
  const lines = shown.trimEnd().split('\n')
  expect(lines.length).toBeGreaterThan(5)
  expect(lines.filter((line) => !said.includes(line))).toEqual([])
  const verdicts = ['1', '2'].map((round) => readRunFile(join(folder, 'runs', round)).verdict)
  expect(verdicts).toEqual(['not-conformant', 'conformant'])
  expect(existsSync(join(folder, 'runs/3'))).toBe(false)
})

test('with --bail the first failure is printed in full, and no other', async () => {
  const port = await freePort()
  await serve(port, textLists)
  const flags = ['--key', `free=${key}`, ...only, '--bail']
  const folder = emptyFolder()
  const ended = await petvet(['check', `http://127.0.0.1:${port}/v1`, ...flags], { folder })
  const { bailedBy } = readRunFile(join(folder, 'runs'))
  expect(bailedBy).toBe('body-media-type-json')
  expect(ended.code).toBe(1)
  expect(ended.stdout.match(/^FAIL {2}.*$/m)?.[0]).toBe(`FAIL  ${bailedBy}`)
  expect(ended.stdout.match(/^(?:FAIL| {2}Expected| {2}Actual| {2}Request)/gm)).toHaveLength(4)
  expect(ended.stdout).toContain(`, ended at the first failure, ${bailedBy} (--bail)`)
  expect(ended.stdout).not.toContain('the run was interrupted')
})

test('flags of a single run are refused with --watch', async () => {
  const folder = folderWith({ 'old/1/run.json': '{}' })
  const origin = await serveWith((_request, response) => response.end())
  const refused = async (...args: string[]) => {
    const { code, stderr } = await petvet(['check', ...args, '--watch'], { folder })
    expect([code, stderr.trim().split('\n').length]).toEqual([2, 1])
    return stderr
  }
  const flags = [`${origin}/v1`, '--key', 'free=key-1']
  expect(await refused('--only', 'list')).toContain('petvet: no target')
  expect(await refused(...flags, '--json')).toContain('--watch and --json exclude each other')
  expect(await refused(...flags, '--out', 'old')).toContain('already contains rounds')
})
