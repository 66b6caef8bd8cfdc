// Servers with two and three faults from different areas: what finds a fault alone finds it there
// too, and nothing fails that shows what none of them shows alone.

import { expect, test } from 'vitest'
import { dictionary, type Entry, isDrawn, printFeatures } from '../../causes/dictionary.ts'
import { isViolation } from '../../engine/check/outcome.ts'
import type { CheckResult } from '../../engine/check/run-file.ts'
import { runAt } from '../../proof/conditions.ts'
import { createTarget, createTime } from '../../proof/virtual.ts'
import { mutants } from '../../reference/mutants.ts'
import { type Mutant, together } from '../../reference/variant.ts'
import { setsOf, shuffledMutants } from '../several-faults.ts'

/** That of the dictionary, which knows what each mutant fails alone. */
const seed = 7

const entryOf = ({ id }: Mutant): Entry | undefined =>
  dictionary().find(({ mutants }) => mutants.includes(id))

const failedAlone = (mutant: Mutant): readonly string[] =>
  [...(entryOf(mutant)?.full.keys() ?? [])].filter((id) => !isDrawn(id))

/**
 * The parts that a mutant replaces. Where two replace the same, the later may undo the other; who
 * replaces how a call is charged may use no limiter, or one of its own.
 */
const partsOf = (mutant: Mutant): readonly string[] => {
  const names = new Set<string>()
  const parts: Mutant['parts'] = (honest) => {
    const changed = mutant.parts?.(honest) ?? {}
    for (const name of Object.keys(changed)) names.add(name === 'limiter' ? 'charge' : name)
    return changed
  }
  createTarget({ ...mutant, parts }, [], 0, createTime())
  return [...names]
}

const isApart = (set: readonly Mutant[]): boolean => {
  const parts = set.flatMap(partsOf)
  return new Set(parts).size === parts.length
}

/** The checks that fail at one of them alone, and at no other of the set. */
const ownOf = (mutant: Mutant, set: readonly Mutant[]): readonly string[] => {
  const others = set.filter((other) => other !== mutant).flatMap(failedAlone)
  return failedAlone(mutant).filter((id) => !others.includes(id))
}

/** Whether its fault shows at each run of the same seed, whatever else is sent. */
const isSteady = ({ id }: Mutant): boolean => !/now-and-then|by-chance|random/.test(id)

/** Sets in which each mutant has a check of its own, of as many shuffles as that takes. */
const samplesOf = (size: number, most: number): readonly (readonly Mutant[])[] => {
  const found: (readonly Mutant[])[] = []
  for (let shuffle = seed; found.length < most; shuffle += 1) {
    const sets = setsOf(shuffledMutants(shuffle).filter(isSteady), size)
    found.push(
      ...sets.filter((set) => isApart(set) && set.every((each) => ownOf(each, set).length > 0)),
    )
  }
  return found.slice(0, most)
}

const names = (set: readonly Mutant[]): string => set.map(({ id }) => id).join(' + ')

/** Of each operation, the statuses with which the run was answered. */
type Statuses = Map<string, Set<string>>

const operationIn = ({ method, url }: { method: string; url: string }): string => {
  const found = /\/v1\/pets(\/[^/?]+)?(?:\?.*)?$/.exec(url)
  return found ? `${method} /pets${found[1] ? '/{petId}' : ''}` : 'another address'
}

const addTo = (statuses: Statuses, line: string): void => {
  const { request, response } = JSON.parse(line)
  const operation = operationIn(request)
  statuses.set(operation, (statuses.get(operation) ?? new Set()).add(`${response?.status}`))
}

/** Whether no response of the run is one in which a check shows a mutant alone. */
const isUnseen = (feature: string, statuses: Statuses): boolean => {
  const status = /\|status (\d{3})(?:\||$)/.exec(feature)?.[1]
  const operations = /\|operations ([^|]+)/.exec(feature)?.[1]?.split(', ') ?? []
  if (status === undefined || operations.length === 0) return false
  const seen = operations.map((operation) => statuses.get(operation))
  return seen.every((each) => each !== undefined && !each.has(status))
}

/**
 * Whether the others undo a mutant: its operations were called, and no response has a status in
 * which it can show. So no refusal is wrong where none comes, and no pet is removed too late where
 * none is ever given out.
 */
const isUndone = (mutant: Mutant, own: readonly string[], statuses: Statuses): boolean =>
  own
    .flatMap((id) => entryOf(mutant)?.full.get(id) ?? [])
    .every((feature) => isUnseen(feature, statuses))

/** How many more seeds show whether a check may fail at a mutant alone. */
const moreSeeds = 4

/** What is seen at one of them alone: next to another fault another check may see it. */
const seenAlone = (set: readonly Mutant[]): ReadonlySet<string> =>
  new Set(set.flatMap((mutant) => [...(entryOf(mutant)?.full.values() ?? [])].flat()))

/** Whether a check fails at one of them alone at another seed: some faults show by chance. */
const failsAlone = async (id: string, set: readonly Mutant[]): Promise<boolean> => {
  for (let other = seed + 1; other <= seed + moreSeeds; other += 1) {
    for (const mutant of set) {
      const { checks } = await runAt(mutant, 'full', other)
      if (checks.some((check) => check.id === id && isViolation(check.outcome))) return true
    }
  }
  return false
}

/** What a run finds at all of them in one server. */
const findingsAt = async (set: readonly Mutant[]) => {
  const statuses: Statuses = new Map()
  const { checks } = await runAt(together(...set), 'full', seed, {
    onExchange: (line) => addTo(statuses, line),
  })
  const failed = checks.filter(({ outcome }) => isViolation(outcome)).map(({ id }) => id)
  const say = (id: string): string => {
    const { outcome, detail } = checks.find((check) => check.id === id) ?? {}
    return `${names(set)}: ${id} ${outcome}: ${detail}`
  }
  const alone = new Set(set.flatMap(failedAlone))
  const known = seenAlone(set)
  const isNew = (result: CheckResult) => !printFeatures(result).some((each) => known.has(each))
  const unknown = checks.filter((result) => isViolation(result.outcome) && isNew(result))
  const more: string[] = []
  for (const { id } of unknown.filter(({ id }) => !alone.has(id) && !isDrawn(id))) {
    if (!(await failsAlone(id, set))) more.push(say(id))
  }
  return {
    more,
    mutants: set.flatMap((mutant) => {
      const own = ownOf(mutant, set)
      if (isUndone(mutant, own, statuses)) return []
      const hidden = own.filter((id) => !failed.includes(id))
      const isFound = hidden.length < own.length
      const by = `${mutant.id}${isFound ? '' : ' is hidden'}`
      return [{ own: own.length, hidden: hidden.map((id) => `${by}; ${say(id)}`), isFound }]
    }),
  }
}

/**
 * The shares of mutants and of their own checks that are to be found, and how many more may fail
 * for each set. The rest undo each other: a ban that stores creations, where none comes; a
 * Retry-After that is too short, where none is sent.
 */
const samples = [
  ['pairs', 2, Number(process.env.PETVET_PAIRS ?? 300), 0.98, 0.95, 0.03],
  ['triples', 3, Number(process.env.PETVET_TRIPLES ?? 100), 0.95, 0.92, 0.08],
] as const

const timeout = 60 * 60_000

test.each(samples)('%s of faults', { timeout }, async (...[kind, size, most, ...limits]) => {
  const [least, leastOwn, maxMore] = limits
  const found: Awaited<ReturnType<typeof findingsAt>>[] = []
  for (const set of samplesOf(size, most)) found.push(await findingsAt(set))
  const all = found.flatMap((each) => each.mutants)
  const more = found.flatMap((each) => each.more)
  const hidden = all.flatMap((each) => each.hidden)
  const seen = all.filter(({ isFound }) => isFound).length
  const own = all.reduce((sum, each) => sum + each.own, 0)
  console.log(
    `${found.length} ${kind}: ${seen} of ${all.length} mutants found; ` +
      `${own - hidden.length} of ${own} of their own checks fail; ${more.length} others fail`,
  )
  console.log([...hidden, '', ...more].join('\n'))
  expect.soft(seen).toBeGreaterThanOrEqual(least * all.length)
  expect.soft(own - hidden.length).toBeGreaterThanOrEqual(leastOwn * own)
  // Some faults together violate more: without a default and without a filter a list is unbounded;
  // and what shows by chance, as an id that is rounded, may show elsewhere.
  expect(more.length).toBeLessThanOrEqual(maxMore * found.length)
})

/** What first versions of servers have in common. */
const first = [
  'created-200',
  'types-not-validated',
  'error-status-missing',
  'headers-missing-on-401-and-404',
]

test.each([
  ['full', 100],
  ['oneKey', 70],
] as const)('a first version is tested, %s', async (condition, least) => {
  const set = mutants.filter(({ id }) => first.includes(id))
  const { decided } = await runAt(together(...set), condition, seed)
  console.log(`${names(set)}: ${decided.must.join(' of ')} musts tested, ${condition}`)
  expect(set.length).toBe(first.length)
  expect(decided.must[0]).toBeGreaterThanOrEqual(least)
})
