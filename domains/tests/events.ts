// Generated events for the publishing model: single ones, and macros that reach deep states.
import fc from 'fast-check'
import type { PublishingEvent } from '../model/model.ts'
import type { Rules } from '../model/rules.ts'
import { type Action, type Host, hosts, situations, slugs, watch } from './oracle.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

const event = (each: PublishingEvent): Action => ({ do: 'event', event: each })
const pass = (ms: number) => event({ kind: 'pass', ms })

const slug = fc.constantFrom(...slugs)
const host = fc.constantFrom(...hosts)
const status = fc.constantFrom(301, 302, 303, 307, 308)
const plan = fc.constantFrom('free', 'pro', 'business', 'enterprise')
const kind = fc.constantFrom('add', 'verify', 're-verify', 'remove')

const either = fc.constantFrom('verify', 're-verify')

type Actions = fc.Arbitrary<readonly Action[]>
const one = <T>(arbitrary: fc.Arbitrary<T>, act: (value: T) => readonly Action[]): Actions =>
  arbitrary.map(act)

type Slug = (typeof slugs)[number]

const ready = (of: Slug, on: 'pro' | 'business' | 'enterprise'): readonly Action[] => [
  event({ kind: 'plan', slug: of, plan: on }),
  event({ kind: 'deploy', slug: of, ok: true }),
]

const verified = (of: Slug, at: Host, again: 'verify' | 're-verify'): readonly Action[] => [
  { do: 'dns', host: at, situation: 'good' },
  event({ kind: 'add', slug: of, host: at }),
  event({ kind: again, slug: of, host: at }),
]

const active = (of: Slug, at: Host): readonly Action[] => [
  ...ready(of, 'pro'),
  { do: 'caa', host: at, allows: true },
  ...verified(of, at, 'verify'),
  pass(4 * minuteMs),
]

const single: readonly Actions[] = [
  one(fc.tuple(slug, fc.boolean()), ([of, ok]) => [event({ kind: 'deploy', slug: of, ok })]),
  one(fc.tuple(slug, plan), ([of, to]) => [event({ kind: 'plan', slug: of, plan: to })]),
  one(fc.tuple(kind, slug, host), ([does, of, at]) => [event({ kind: does, slug: of, host: at })]),
  one(fc.tuple(host, fc.constantFrom(...situations)), ([at, situation]) => [
    { do: 'dns', host: at, situation },
  ]),
  one(fc.tuple(host, fc.boolean()), ([at, allows]) => [{ do: 'caa', host: at, allows }]),
  one(fc.constantFrom(1_000, minuteMs, 4 * minuteMs, 31 * minuteMs, 20 * hourMs), (ms) => [
    pass(ms),
  ]),
]

const macros: readonly Actions[] = [
  // A domain is added on any plan, after any deploys.
  one(fc.tuple(slug, plan, fc.array(fc.boolean(), { maxLength: 3 }), host), (drawn) => {
    const [of, on, deploys, at] = drawn
    return [
      event({ kind: 'plan', slug: of, plan: on }),
      ...deploys.map((ok) => event({ kind: 'deploy', slug: of, ok })),
      event({ kind: 'add', slug: of, host: at }),
    ]
  }),
  one(fc.tuple(slug, host), ([of, at]) => active(of, at)),
  // An early Verify may fail, and one after two days succeeds.
  one(fc.tuple(slug, host, fc.constantFrom(...situations), either), ([of, at, early, presses]) => [
    ...ready(of, 'business'),
    { do: 'dns', host: at, situation: early },
    event({ kind: 'add', slug: of, host: at }),
    event({ kind: presses, slug: of, host: at }),
    pass(49 * hourMs),
    ...verified(of, at, 'verify'),
  ]),
  // CAA forbids the certificate until it is fixed, and then Re-verify leads to it.
  one(fc.tuple(slug, host), ([of, at]) => [
    ...ready(of, 'pro'),
    { do: 'caa', host: at, allows: false },
    ...verified(of, at, 'verify'),
    pass(31 * minuteMs),
    { do: 'caa', host: at, allows: true },
    event({ kind: 're-verify', slug: of, host: at }),
    pass(4 * minuteMs),
  ]),
  // A removed domain can be added again, to any project.
  one(fc.tuple(slug, slug, host), ([of, other, at]) => [
    ...active(of, at),
    event({ kind: 'remove', slug: of, host: at }),
    ...active(other, at),
  ]),
  // Two redirects, one of them removed.
  one(fc.tuple(slug, fc.shuffledSubarray(hosts, { minLength: 4 }), status), (drawn) => {
    const [of, [primary, from, other, to], code] = drawn
    if (!primary || !from || !other || !to) return []
    const redirects = [
      { from, to, status: code },
      { from: other, to: primary, status: 301 },
    ]
    return [
      ...[primary, from, other].flatMap((each) => active(of, each)),
      event({ kind: 'configure', slug: of, primary, redirects }),
      event({ kind: 'remove', slug: of, host: other }),
    ]
  }),
  // A record that was right changes.
  one(fc.tuple(slug, host, fc.constantFrom(...situations)), ([of, at, later]) => [
    ...active(of, at),
    { do: 'dns', host: at, situation: later },
    event({ kind: 're-verify', slug: of, host: at }),
  ]),
]

const commandOf = (actions: readonly Action[]) => ({
  check: () => true,
  run: (_model: object, real: { act: (action: Action) => void }) => {
    for (const action of actions) real.act(action)
  },
  toString: () => JSON.stringify(actions),
})

const commands = fc.commands(
  [...single, ...macros].map((arbitrary) => arbitrary.map(commandOf)),
  { maxCommands: 12, size: 'max' },
)

/** The first breach that generated events find in a model with these rules; null: none. */
export const firstBreach = (rules: Rules, seed: number, runs: number): string | null => {
  const property = fc.property(commands, (drawn) => {
    fc.modelRun(() => ({ model: {}, real: { act: watch(rules) } }), drawn)
  })
  const found = fc.check(property, { seed, numRuns: runs, endOnFailure: true })
  if (!found.failed) return null
  return found.errorInstance instanceof Error ? found.errorInstance.message : 'no reason'
}
