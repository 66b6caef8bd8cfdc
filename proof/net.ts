// The net: all checks against every mutant and every legal variant, in virtual time; then random
// legal worlds and the limiter libraries.
//   npm run net                      compares with proof/kill-table.json and proof/headlines.txt
//   npm run net -- -u                accepts what is found: writes both, and suites/order.json
//   npm run net -- ID... | missing   only these subjects, or the mutants without a line
//   npm run net -- --seeds 3         runs with so many seeds at each legal variant
// It exits with 1 where a mutant is not found by the check that claims it, or with one Free key
// by nothing any more, where a check of a must or a should finds no mutant, where a mutant has no
// line, and at an alarm at a legal server or at a mutant of a should.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { mutants } from '../reference/mutants.ts'
import { catalogue } from '../suites/index.ts'
import {
  compareTables,
  conditionNames,
  findAlarms,
  findersOf,
  findIdleChecks,
  type KillLine,
  makeOrder,
  readKillTable,
  writeKillTable,
} from './kill-table.ts'
import { measureRun, oneFreeKey } from './measure-run.ts'
import { workThrough } from './pool.ts'
import { subjects } from './subjects.ts'
import type { NetResult, Order } from './worker.ts'

const seed = 7
/** Of each property over random legal worlds; it may be set. */
const worlds = process.env.PETVET_RUNS ?? '60'

const { values: given, positionals: ids } = parseArgs({
  allowPositionals: true,
  options: {
    update: { type: 'boolean', short: 'u', default: false },
    seeds: { type: 'string', default: '1' },
  },
})

const say = (lines: readonly string[]) => {
  if (lines.length > 0) console.log(lines.join('\n'))
}

const work = (order: Order, all: readonly { readonly id: string }[]): Promise<NetResult[]> => {
  let done = 0
  const report = ({ kind, id, complaints }: NetResult) => {
    done += 1
    const isDue = done % 100 === 0 || done === all.length
    if (isDue) console.error(`${done} of ${all.length}`)
    for (const complaint of complaints) console.error(`  ${kind} ${id}: ${complaint}`)
  }
  return workThrough<NetResult>(order, all, report)
}

/** @returns the subjects that are named, those without a line, or all */
const chooseSubjects = (stored: ReadonlyMap<string, KillLine>) => {
  const known = new Set(['missing', ...subjects.map(({ id }) => id)])
  const unknown = ids.filter((id) => !known.has(id))
  if (unknown.length > 0 || !(Number(given.seeds) >= 1)) {
    console.error(
      unknown.length > 0
        ? `no mutant and no variant is called ${unknown.join(', ')}: see petvet mutants --list`
        : `--seeds ${given.seeds}: expected a number from 1`,
    )
    process.exit(2)
  }
  const isMissing = ({ id, kind }: (typeof subjects)[number]) =>
    kind === 'mutant' && !stored.has(id)
  return subjects.filter(
    (each) =>
      ids.length === 0 || ids.includes(each.id) || (ids.includes('missing') && isMissing(each)),
  )
}

/**
 * Writes the order of checks: the committed one, or what is made of the kill table now, whichever
 * finds more mutants without the checks that were made for them; and how many its first minute
 * finds with them.
 */
const writeOrder = async (lines: readonly KillLine[]): Promise<void> => {
  // Those that one Free key can show.
  const shown = lines.filter(({ oneKey }) => oneKey.length > 0)
  // A minute has room for the first values of rows alone.
  const { sent } = await measureRun(catalogue, { ...oneFreeKey, budget: { maxRequests: 1 } })
  const file = new URL('../suites/order.json', import.meta.url)
  const committed: readonly string[] = JSON.parse(readFileSync(file, 'utf8')).checks
  const countFound = async (checks: readonly string[], isLeftOut: boolean) => {
    const write = (found: number) =>
      writeFileSync(file, `${JSON.stringify({ found, of: shown.length, checks }, null, 2)}\n`)
    // Workers that start now read this order.
    write(0)
    const results = await work({ kind: 'first minute', seed, isLeftOut }, shown)
    const found = results.filter(({ isFound }) => isFound).length
    const which = isLeftOut ? ' without the checks made for them' : ''
    say([`a first minute finds ${found} of ${shown.length}${which}`])
    write(found)
    return { found, checks }
  }
  const before = await countFound(committed, true)
  const now = await countFound(makeOrder(catalogue, shown.map(findersOf), sent), true)
  await countFound((now.found > before.found ? now : before).checks, false)
}

/** The first headline of some mutants of all areas: of which is what the text has. */
const headlinesFile = new URL('headlines.txt', import.meta.url)

const printHeadlines = ({ id, headlines }: NetResult): string =>
  [
    `${id}: ${mutants.find((mutant) => mutant.id === id)?.fault}`,
    `  ${conditionNames.full}: ${headlines?.full}`,
    `  ${conditionNames.oneKey}: ${headlines?.oneKey}`,
  ].join('\n')

/** @returns each text as it is committed, and as it is now */
const compareHeadlines = (results: readonly NetResult[]) => {
  const texts = readFileSync(headlinesFile, 'utf8')
    .trimEnd()
    .split(/\n\n(?=\S)/)
  return texts.map((before) => {
    const now = results.find(({ id, headlines }) => headlines && before.startsWith(`${id}: `))
    return { before, now: now ? printHeadlines(now) : before }
  })
}

const accept = async (results: readonly NetResult[], stored: ReadonlyMap<string, KillLine>) => {
  const lines = new Map([
    ...stored,
    ...results.flatMap(({ line }) => (line ? [[line.id, line] as const] : [])),
  ])
  const known = new Set(subjects.map(({ id }) => id))
  const kept = [...lines.values()].filter(({ id }) => known.has(id))
  writeKillTable(kept)
  const headlines = compareHeadlines(results).map(({ now }) => now)
  writeFileSync(headlinesFile, `${headlines.join('\n\n')}\n`)
  if (ids.length === 0) await writeOrder(kept)
}

interface Assertion {
  readonly fullName: string
  readonly status: string
  readonly failureMessages: readonly string[]
}

/** @returns a line for each failed test of a report of vitest, with the start of its reason */
const failuresIn = (report: string): readonly string[] =>
  (JSON.parse(report).testResults as { readonly assertionResults: readonly Assertion[] }[])
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'failed')
    .map(
      ({ fullName, failureMessages: [reason = ''] }) =>
        `${fullName}: ${reason.replaceAll(/\s+/g, ' ').slice(0, 400)}`,
    )

/** Random legal worlds, and servers whose limiters come from libraries. @returns what failed */
const runFurther = (): readonly string[] => {
  const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url))
  const files = ['tests/virtual/legal.test.ts', 'tests/real-limiters.test.ts']
  const folder = mkdtempSync(join(tmpdir(), 'petvet-net-'))
  const outputFile = join(folder, 'further.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${outputFile}`]
  try {
    const { status } = spawnSync(process.execPath, [vitest, 'run', ...files, ...reporters], {
      stdio: 'inherit',
      env: { ...process.env, PETVET_RUNS: worlds },
    })
    if (status === 0) return []
    const named = existsSync(outputFile) ? failuresIn(readFileSync(outputFile, 'utf8')) : []
    return named.length > 0 ? named : [`${files.join(' and ')}: see above`]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const startMs = performance.now()
const stored = new Map(readKillTable().map((line) => [line.id, line]))
const chosen = chooseSubjects(stored)
const results = await work({ kind: 'net', seed, seeds: Number(given.seeds) }, chosen)
const lines = results.flatMap(({ line }) => line ?? [])
const { report, lost } = compareTables(
  lines,
  lines.flatMap(({ id }) => stored.get(id) ?? []),
)
const whole = ids.length === 0
const missing = lines.filter(({ id }) => !stored.has(id)).map(({ id }) => `${id} has no line`)
const differing = compareHeadlines(results).filter(({ before, now }) => now !== before)
const failures = [
  ...results.flatMap(({ kind, id, complaints }) =>
    complaints.map((one) => `${kind} ${id}: ${one}`),
  ),
  ...(given.update ? [] : [...lost, ...missing]),
  ...(given.update
    ? []
    : differing.map(({ before }) => `${before.split(':')[0]}: another headline`)),
  ...findAlarms(lines, stored),
  ...(whole ? findIdleChecks(lines).map((id) => `the check ${id} finds no mutant`) : []),
]
say(report)
for (const { before, now } of differing)
  say(['a headline differs:', `before: ${before}`, `now: ${now}`])
if (given.update) await accept(results, stored)
if (whole) failures.push(...runFurther())
say(failures.map((each) => `FAILED net: ${each}`))
if (missing.length > 0 && !given.update) say(['run again with -u: it writes the lines'])
/** The last line counts a subject once, whatever is wrong with it. */
const isNamed = ({ id }: { readonly id: string }): boolean =>
  failures.some((each) => each.split(/[ :]/).includes(id))
const minutes = ((performance.now() - startMs) / 60_000).toFixed(1)
say([
  `net: ${chosen.length} mutants, variants and projects in ${minutes} min`,
  `${chosen.length - chosen.filter(isNamed).length} passed, ${failures.length} failed`,
])
process.exitCode = failures.length > 0 ? 1 : 0
