// How many mutants the walks alone find, by area, and of those that one targeted check alone finds:
// `node proof/walk-recall.ts [SEED] [PART-OF-AN-ID]`.
import { readFileSync } from 'node:fs'
import { isDrawn } from '../causes/dictionary.ts'
import { isViolation } from '../engine/check/outcome.ts'
import { mutants } from '../reference/mutants.ts'
import type { Mutant } from '../reference/variant.ts'
import { requirement } from '../spec/requirements.ts'
import { catalogue } from '../suites/index.ts'
import { withSetUp } from '../suites/many-pets.ts'
import { runAt } from './kill-table.ts'

const [seed = '7', part = ''] = process.argv.slice(2)

const checks = withSetUp(
  catalogue,
  catalogue.filter(({ id }) => isDrawn(id)),
)

interface Line {
  readonly id: string
  readonly caughtBy?: string
  readonly full?: Readonly<Record<string, unknown>>
}

/** The mutants that no targeted check finds besides their own. */
const lone = new Set(
  (
    JSON.parse(
      readFileSync(new URL('../causes/kill-table.json', import.meta.url), 'utf8'),
    ) as Line[]
  )
    .filter(({ full = {}, caughtBy }) =>
      Object.keys(full).every((id) => id === caughtBy || isDrawn(id)),
    )
    .map(({ id }) => id),
)

const areaOf = ({ caughtBy }: Mutant): string => {
  const check = catalogue.find(({ id }) => id === caughtBy)
  return check ? requirement(check.requirement).section : 'smoke'
}

interface Area {
  all: number
  found: number
  lone: number
  loneFound: number
}

const areas = new Map<string, Area>()
for (const mutant of mutants) {
  if (mutant.description || !mutant.id.includes(part)) continue
  const run = await runAt(mutant, 'full', Number(seed), {}, checks)
  const found = run.checks.filter(({ id, outcome }) => isDrawn(id) && isViolation(outcome))
  const name = areaOf(mutant)
  const area = areas.get(name) ?? { all: 0, found: 0, lone: 0, loneFound: 0 }
  areas.set(name, area)
  const isFound = found.length > 0
  area.all += 1
  if (isFound) area.found += 1
  if (lone.has(mutant.id)) area.lone += 1
  if (lone.has(mutant.id) && isFound) area.loneFound += 1
  const which = found.map(({ id, detail }) => (part === '' ? id : `${id}: ${detail}`)).join(' ')
  const sign = isFound ? '+' : '-'
  process.stdout.write(`${sign}${lone.has(mutant.id) ? '!' : ' '} ${mutant.id} ${which}\n`)
}
for (const [name, { all, found, lone: alone, loneFound }] of areas) {
  process.stdout.write(
    `${name}: ${found} of ${all}; of those of one check ${loneFound} of ${alone}\n`,
  )
}
