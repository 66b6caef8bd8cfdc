// Recorded traffic by those that record it: a browser that Playwright drives, and mitmproxy, as the
// page on recorded traffic has it. The reference draws no violation, and faults are found.
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { judge } from '../../index.ts'
import { findSubject, isServer } from '../../proof/subjects.ts'
import { lacksChromium, reasonToSkip, startChromium } from '../browser/chromium.ts'
import { textOf } from '../layout/sources.ts'
import { sample } from '../sample.ts'
import { serveReference } from '../serve-reference.ts'
import { emptyFolder } from './petvet.ts'

const key = 'a-free-key-of-exporters-5f21c09b'
const usual = '{"name":"Rex","categoryId":1,"status":"sold"}'

const calls = [
  ['POST', '/pets', usual],
  ['POST', '/pets', '{"name":"TOM \u{1f408}","categoryId":1,"status":"available"}'],
  ['POST', '/pets', '{"name":"Kit","categoryId":9007199254740993,"status":"pending"}'],
  ['POST', '/pets', '{"name":"Rex","categoryId":null}'],
  ['POST', '/pets', '{"name":"Kit","categoryId":1}'],
  ['GET', '/pets', null],
  ['GET', '/pets?limit=2', null],
  ['GET', '/pets?status=sold', null],
  ['GET', '/pets?limit=100', null],
  ['GET', '/pets/0', null],
] as const

interface Sent {
  readonly base: string
  readonly key: string
  readonly calls: readonly (readonly [method: string, path: string, body: string | null])[]
}

/** Runs here, and in a page. */
const send = async ({ base, key, calls }: Sent): Promise<void> => {
  for (const [method, path, body] of calls) {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
    await (await fetch(`${base}${path}`, { method, headers, body })).text()
  }
  await (await fetch(`${base}/pets`, { headers: { Authorization: 'Bearer no-such-key' } })).text()
  await (await fetch(`${base}/pets`)).text()
}

/** Records the calls at a server. @returns the HAR file */
type Exporter = (url: string, file: string) => Promise<void>

const throughBrowser: Exporter = async (url, path) => {
  const browser = await startChromium()
  try {
    const context = await browser.newContext({ recordHar: { path } })
    const page = await context.newPage()
    // Of the same origin.
    await page.goto(`${url}/pets`)
    await page.evaluate(send, { base: url, key, calls })
    await context.close()
  } finally {
    await browser.close()
  }
}

const mitmdump = process.env.PETVET_MITMDUMP ?? 'mitmdump'
const lacksMitmproxy = spawnSync(mitmdump, ['--version']).status !== 0
const whyNoMitmproxy = lacksMitmproxy
  ? ': no mitmproxy is here (pip install mitmproxy, or PETVET_MITMDUMP=/path/to/mitmdump)'
  : ''

/** The line of the page, at this server, a port that is free, and this file. */
const argumentsFor = (url: string, file: string): string[] => {
  const [, line = ''] = /^mitmdump (.*)$/m.exec(textOf('docs/recorded-traffic.md')) ?? []
  return line
    .replace('http://127.0.0.1:8080', new URL(url).origin)
    .replace('9090', '0')
    .replace('e2e.har', file)
    .split(' ')
}

const throughMitmproxy: Exporter = async (url, file) => {
  const proxy = spawn(mitmdump, argumentsFor(url, file))
  const ended = new Promise((resolve) => proxy.once('exit', resolve))
  try {
    let printed = ''
    for await (const chunk of proxy.stdout) {
      printed += chunk
      const [, port] = /listening at \S*?:(\d+)/.exec(printed) ?? []
      if (port === undefined) continue
      await send({ base: `http://127.0.0.1:${port}/v1`, key, calls })
      break
    }
  } finally {
    proxy.kill('SIGINT')
    await ended
  }
}

/** @returns the ids of what the traffic at a server, or at a mutant of it, violates */
const violatedAt = async (exporter: Exporter, mutant?: string): Promise<string[]> => {
  const subject = mutant === undefined ? undefined : findSubject(mutant)
  const variant = subject && isServer(subject) ? subject.variant : {}
  const { url } = await serveReference({ keys: [{ plan: 'free', key }], variant })
  const file = join(emptyFolder(), 'recorded.har')
  await exporter(url, file)
  const { log } = JSON.parse(readFileSync(file, 'utf8'))
  const { checks } = await judge(log.entries, { keys: [{ plan: 'free', key }], alone: true })
  expect(checks.filter(({ outcome }) => outcome === 'pass').length).toBeGreaterThan(30)
  return checks.filter(({ outcome }) => /fail|warn|error/.test(outcome)).map(({ id }) => id)
}

const faults = [
  ['list-limit-one-more', 'list-limit-most'],
  ['filter-ignored', 'list-each-filtered'],
  ['name-lower-cased', 'create-each-echoed'],
  ['list-in-envelope', 'list-body-array'],
  ['list-rounds-categories', 'list-each-as-created'],
] as const

const judges = (exporter: Exporter) => async () => {
  expect(await violatedAt(exporter)).toEqual([])
  for (const [mutant, check] of sample(faults, faults.length)) {
    expect([mutant, ...(await violatedAt(exporter, mutant))]).toContain(check)
  }
}

const slow = 120_000

describe(`Playwright${reasonToSkip}`, () => {
  test.skipIf(lacksChromium)('what a browser sent is judged', judges(throughBrowser), slow)
})

describe(`mitmproxy${whyNoMitmproxy}`, () => {
  test.skipIf(lacksMitmproxy)('what went through it is judged', judges(throughMitmproxy), slow)
})
