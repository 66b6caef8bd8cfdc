// Makes the context of each check out of what all checks of a run share.

import type { Pace } from './client/target-clock.ts'
import type { Context, KnownPets, TargetClock } from './context.ts'
import { readDescription } from './description.ts'
import { type AnsweredExchange, controlId, markTogether } from './exchange.ts'
import type { JsonObject } from './json.ts'
import { createCategories, createNames, seedOf, takenFrom } from './naming.ts'
import { Untested } from './outcome.ts'
import { createControls, createSettled } from './pets/control.ts'
import { isAmple } from './quota/experiments.ts'
import type { Governor } from './quota/governor.ts'
import { createLimits } from './quota/limits.ts'
import { forgeWith, type Redactor } from './record/redact.ts'
import type { Journal } from './resume/journal.ts'
import type { KeyOption, RunOptions } from './run-options.ts'
import { type Ask, allEnded } from './send.ts'

interface Shared {
  readonly options: RunOptions
  /** Invalid keys are derived from the first one. */
  readonly keys: readonly (KeyOption & { readonly label: string })[]
  readonly runId: string
  readonly ask: Ask
  readonly governor: Governor
  readonly pace: Pace
  /** Our own clock on the wall, in Unix milliseconds. */
  readonly wallMs: () => number
  readonly knownPets: KnownPets
  readonly redactor: Redactor
  readonly clock: TargetClock | null
  readonly trace: readonly AnsweredExchange[]
  readonly journal: Journal
}

const noClock: TargetClock = {
  now: () => Promise.reject(new Untested('clock', 'the target has no test clock (--clock URL)')),
  advance: () => noClock.now(),
  set: () => noClock.now(),
}

const createOnce = (): Context['once'] => {
  const made = new Map<string, Promise<unknown>>()
  const failed = new Set<string>()
  return <T>(name: string, make: () => Promise<T>) => {
    const known = made.get(name) ?? make()
    made.set(name, known)
    known.catch(() => {
      // A check that was blocked is retried, and may then try this again, once.
      if (!failed.has(name)) made.delete(name)
      failed.add(name)
    })
    return known as Promise<T>
  }
}

const askAs =
  (ask: Ask, id: string): Context['call'] =>
  (request) =>
    ask(id, request, false)

const askTogether =
  ({ ask, governor }: Shared, id: string): Context['together'] =>
  async (requests) => {
    const keyed = requests.filter(({ authorization }) => authorization === 'valid')
    const labels = new Set(keyed.map(({ key }) => key))
    const [label] = labels.size === 1 ? labels : []
    await governor.waitForRoom(keyed.length, label)
    // After a reset the free quota is unknown until the first response.
    const [first] = governor.isUnsure() ? keyed : []
    const alone = first && (await ask(id, first, false))
    const rest = requests.filter((request) => request !== first)
    const others = await allEnded(rest.map((request) => ask(id, request, true)))
    if (others.length > 1) markTogether(others)
    if (!first || !alone) return others
    return requests.map((request) =>
      request === first ? alone : (others[rest.indexOf(request)] as AnsweredExchange),
    )
  }

/** @returns the context of the check with an id; all contexts of a run share its knowledge */
export const createContexts = (shared: Shared): ((id: string) => Context) => {
  const { options, keys, runId, ask, pace, knownPets, redactor, clock, trace } = shared
  const names = createNames(runId, options.past ? options.past.interruptions.length + 1 : 0)
  const categories = createCategories(options.categories, runId, (free, accepted) =>
    shared.journal({ kind: 'categories', free, accepted: accepted.map(String) }),
  )
  let made = 0
  const newPet = (members: JsonObject = {}): JsonObject => {
    const all = { name: names.fresh(), categoryId: categories.any, ...members }
    made += 1
    // Each member comes first in turn: a server may lose the first one.
    const entries = Object.entries(all)
    const first = made % entries.length
    return Object.fromEntries([...entries.slice(first), ...entries.slice(0, first)])
  }
  const control = createControls({
    call: askAs(ask, controlId),
    newPet,
    knownPets,
    allow: options.allow,
    trace,
  })
  const once = createOnce()
  const limitsOf = createLimits({ ...shared, shared: options.shared })
  const isPlenty = isAmple(options)
  return (id) => ({
    call: askAs(ask, id),
    together: askTogether(shared, id),
    control,
    settled: createSettled(knownPets, pace),
    allow: options.allow,
    sample: (all, count) => (isPlenty ? all : takenFrom(all, count, seedOf(options.seed, id))),
    once,
    limits: limitsOf(id),
    knownPets,
    names,
    categories,
    newPet,
    forge: (make, label) => {
      const { key = '' } = keys.find((each) => each.label === label) ?? keys[0] ?? {}
      return forgeWith(redactor, key)(make)
    },
    clock: clock ?? noClock,
    description: () => readDescription(options),
    seed: seedOf(options.seed, id),
  })
}
