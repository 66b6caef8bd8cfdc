// Every command on the pages is run once, and prints what they show: word for word except numbers,
// and where `...` is.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createPet } from '../../engine/check/requests.ts'
import { mutants } from '../../reference/mutants.ts'
import type { Reference } from '../../reference/start.ts'
import { emptyFolder, petvet, start } from '../e2e/petvet.ts'
import { serveReference } from '../serve-reference.ts'
import { filesOn, pageNames, type Shown, shownOn } from './pages.ts'

/** The variables that the pages read, and the keys that the server takes. */
const environment = {
  FREE_KEY: 'a-free-key-of-the-pages',
  PRO_KEY: 'a-pro-key-of-the-pages',
} as const

const plans = { FREE_KEY: 'free', PRO_KEY: 'pro' } as const

/** The target of a page that does not start one itself. */
interface Stage {
  readonly mutant: string
  readonly pets: number
}

const stages: Readonly<Record<string, Stage>> = {
  'docs/qa.md': { mutant: 'auth-after-limit-zero', pets: 9 },
  'docs/ci.md': { mutant: 'list-limit-one-more', pets: 0 },
}

const stock = async ({ url }: Reference, pets: number): Promise<void> => {
  const statuses = ['available', 'pending', 'sold']
  for (let at = 0; at < pets; at += 1) {
    const status = statuses[at % statuses.length] ?? 'sold'
    const { body } = createPet({ name: `Rex ${at}`, categoryId: 1n, status })
    await fetch(`${url}/pets`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${environment.FREE_KEY}`,
        'Content-Type': 'application/json',
      },
      body: body as string,
    })
  }
}

const minuteMs = 60_000

/** What a run without waits tests depends on how much of a minute is left. */
const beginMinute = async ({ clockUrl = '' }: Reference): Promise<void> => {
  const advanceMs = minuteMs - (Date.now() % minuteMs)
  const { ok } = await fetch(clockUrl, { method: 'POST', body: JSON.stringify({ advanceMs }) })
  expect(ok).toBe(true)
}

/** A new server for each command, because a run leaves its clock past the removal. */
const openStage = async ({ mutant, pets }: Stage): Promise<Reference> => {
  const variant = mutants.find(({ id }) => id === mutant)
  if (!variant) throw new Error(`unknown mutant ${mutant}`)
  const server = await serveReference({
    keys: Object.entries(environment).map(([name, key]) => ({
      plan: plans[name as keyof typeof plans],
      key,
    })),
    clockPort: 0,
    variant,
  })
  await beginMinute(server)
  await stock(server, pets)
  return server
}

const staging = 'https://staging.example.com/v1'

/** A whole run prints the same words as a part of it, and takes seconds longer. */
const narrow = (command: string): string =>
  /^petvet check http:\/\/127/.test(command) && !/--(?:only|bail|no-wait)/.test(command)
    ? `${command} --only list`
    : command

/** The addresses of a page in those of the server, and back again in what is printed. */
const translation = (command: string, { url, clockUrl = '' }: Reference) => {
  const isElsewhere = command.includes(staging)
  const clock = new URL(clockUrl || url)
  const shown = command
    .replaceAll(staging, url)
    .replaceAll('127.0.0.1:8080', new URL(url).host)
    .replaceAll('127.0.0.1:8081', clock.host)
  // On loopback more is allowed by default than at that address; and no minute has to pass.
  const more = [
    ...(command.includes('--allow') ? [] : [' --allow none']),
    ...(command.startsWith('petvet check ') ? [` --clock ${clock.href}`] : []),
  ]
  return {
    command: isElsewhere ? `${shown}${more.join('')}` : narrow(shown),
    back: (text: string) =>
      more
        .reduce((left, part) => (isElsewhere ? left.replaceAll(part, '') : left), text)
        .replaceAll(url, isElsewhere ? staging : url)
        .replaceAll(new URL(url).host, '127.0.0.1:8080')
        .replaceAll(clock.host, '127.0.0.1:8081'),
  }
}

/** Numbers differ from run to run and from machine to machine; words do not. */
const masked = (line: string): string =>
  line
    .replace(/petvet-[0-9a-f]{8}\b/g, 'petvet-#')
    .replace(/\d+/g, '#')
    .replace(/ +/g, ' ')
    .trimEnd()

const matches = (shown: string, line: string): boolean => {
  const [begin = '', ...rest] = masked(shown).split('...')
  if (rest.length === 0) return masked(line) === begin
  // Inside a line `...` is the rest of it.
  return masked(line).startsWith(begin.trimEnd())
}

/** @returns the first shown line that the output lacks, or null where all is as shown */
const missingIn = (output: string, shown: string): string | null => {
  const lines = output.split('\n')
  let at = 0
  let isFree = false
  for (const wanted of shown.trimEnd().split('\n')) {
    if (wanted === '...') {
      isFree = true
      continue
    }
    const found = isFree
      ? lines.findIndex((line, place) => place >= at && matches(wanted, line))
      : matches(wanted, lines[at] ?? '')
        ? at
        : -1
    if (found < 0) return wanted
    at = found + 1
    isFree = false
  }
  return null
}

/** Not run here, and why. */
const elsewhere: readonly (readonly [RegExp, string])[] = [
  [/^petvet mutants /, 'tests/mutants.test.ts proves a sample, npm run prove all'],
  [/^petvet judge /, 'tests/e2e/judge.test.ts records what the commands judge'],
  [/^petvet domains /, 'tests/e2e/domains.test.ts starts the demonstration and its commands'],
  [/--(?:watch|resume|ca|cert|proxy|insecure)\b/, 'tests of their own have what it needs'],
  [/^petvet check https:\/\/(?!staging\.example\.com\/v1)/, 'the tests have no server for it'],
  [/error-message-short|error-message-dump/, 'of a check that does not exist'],
]

const isElsewhere = ({ command }: Shown) => elsewhere.some(([form]) => form.test(command))

/** Words as a shell splits them; a `$NAME` in single quotes stays for petvet. */
const wordsOf = (command: string): string[] =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare = '']) => quoted ?? bare).slice(1)

const serveMutant = (shown: readonly Shown[]): string | undefined =>
  shown.flatMap(({ command }) => /^petvet serve .*--mutant (\S+)/.exec(command)?.[1] ?? [])[0]

const isFirst = (all: readonly Shown[], { command }: Shown, at: number) =>
  all.findIndex((other) => other.command === command) === at

const pages = pageNames
  .map((page) => ({ page, shown: shownOn(page).filter((each) => !isElsewhere(each)) }))
  .filter(({ shown }) => shown.length > 0)

/** A server that runs until it is interrupted, on any free ports. */
const runServe = async ({ command, output }: Shown, folder: string) => {
  const words = wordsOf(command.replace(/--(port|clock) \d+/g, '--$1 0'))
  const server = start(words, { folder, env: environment })
  const printed = await server.printed(/^petvet: key .*\n/m)
  server.interrupt('SIGINT')
  await server.ended
  expect(missingIn(printed, output ?? '...')).toBeNull()
}

const runOnce = async ({ page, command, output }: Shown, folder: string, mutant: string) => {
  const server = await openStage(stages[page] ?? { mutant, pets: 0 })
  const { command: own, back } = translation(command, server)
  const { code, stdout, stderr } = await petvet(wordsOf(own), { folder, env: environment })
  expect([0, 1], stderr).toContain(code)
  const missing = missingIn(back(`${stdout}${stderr}`), output ?? '...')
  expect(missing, `${command} printed:\n${back(stdout)}${back(stderr)}`).toBeNull()
}

describe('each command', { timeout: 300_000 }, () => {
  test.for(pages)('of $page prints what it shows', async ({ shown }) => {
    const folder = emptyFolder()
    for (const [name, text] of filesOn(shown[0]?.page ?? '')) {
      writeFileSync(join(folder, name), text)
    }
    const mutant = serveMutant(shown) ?? 'list-limit-one-more'
    for (const [at, each] of shown.entries()) {
      if (!isFirst(shown, each, at)) continue
      if (each.command.startsWith('petvet serve ')) await runServe(each, folder)
      else await runOnce(each, folder, mutant)
    }
  })
})
