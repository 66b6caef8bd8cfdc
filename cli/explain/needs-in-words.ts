// What a question costs and needs, in words, with the flag that gives it.

import type { Experiment, Needs, Question, Stage } from '../../engine/check.ts'
import { count } from '../../engine/count.ts'
import type { Permission } from '../../engine/permission.ts'

/** When in a run it is asked: what a later stage needs, an earlier one leaves. */
const times: Readonly<Record<Stage, string>> = {
  probes: 'first, as it tells what others may use',
  strangers: 'while keys rest, as it spends little of them',
  refusals: 'before many animals are there',
  creations: 'before the lists are looked at',
  reads: 'after the creations',
  limits: 'after the contract, as it spends a minute of a key',
  bans: 'late, on a key of its own',
  days: 'late, as it spends a day of a key',
  time: 'near the end, as it moves the clock',
  removal: 'last, as it moves the clock past the removal',
}

const experiments: Readonly<Record<Experiment, string>> = {
  silence: 'a minute that is spent, and 75 s of silence',
  burst: 'a burst that spends a minute and asks for one call more',
  retry: 'the call after the wait that was told',
  knocks: 'the key for bans, exhausted and asked on',
  'knocks again': 'two more such rows of refusals',
  late: 'two minutes spent up to their last second',
  steady: 'a part of the minute every 50 s, four times',
  errors: 'a part of a minute spent, and a row of errors',
  day: 'a day that is spent',
}

const generatedBy = (needs: Needs): string[] => {
  if (!('runs' in needs && 'shrinks' in needs)) return []
  const values = count(Number(needs.runs), 'value', 'values')
  return [
    `asks about ${values} by the seed, and up to ${needs.shrinks} to make a failing one small`,
  ]
}

/** What it sends when it passes. */
export const costInWords = (question: Question): string[] => {
  if (question.kind === 'invariant') return ['no request: it judges what others caused']
  const { needs } = question
  const { keyed, anonymous, holds, plan, eachKey, further = 0 } = needs
  const most = plan === undefined ? ' at most, with a Free key' : ' at most'
  const ofHeld = holds === undefined || keyed === 0 ? '' : most
  const own = [
    ...(holds !== undefined && eachKey ? ['the minute of each of these keys and 2 requests'] : []),
    ...(keyed > 0 ? [`${count(keyed, 'request', 'requests')} on keys${ofHeld}`] : []),
    ...(anonymous > 0 ? [`${count(anonymous, 'request', 'requests')} without a valid key`] : []),
  ]
  const held = holds === undefined ? [] : [`holds ${experiments[holds]}`]
  const seen = (needs.looksAt ?? []).map((experiment) => `looks at ${experiments[experiment]}`)
  const sent = own.length > 0 ? own.join(', ') : 'no request of its own'
  const more = further === 0 ? [] : [`up to ${further} more where what is open is refused`]
  return [sent, ...more, ...generatedBy(needs), ...held, ...seen]
}

export const whenInWords = ({ stage }: Needs): string => times[stage]

/** Asked alone these come before it, and cost more than it does. */
const costly = '`petvet plan --only ID` tells what these cost'

const made = {
  crowd: `a hundred animals: asked alone, those are created that are not there (${costly})`,
  creations: `the creations of other checks, made before it where it is asked alone (${costly})`,
  refusals: `refused creations of other checks, made before it where it is asked alone (${costly})`,
} as const

const beside = {
  any: 'a second key of any plan (--key free=A --key pro=B)',
  'same-plan': 'a second key of the same plan (--key free=A --key free=B)',
  'other-plan': 'a key of another plan (--key free=A --key pro=B)',
} as const

/** The permissions, with what each lets a run do. */
const permitted: Readonly<Record<Permission, string>> = {
  write: 'creates animals, which stay',
  exhaust: "spends a key's minute",
  ban: 'may draw a ban',
  day: "spends a key's day",
}

export const permissionInWords = (permission: Permission): string =>
  `--allow ${permission} (${permitted[permission]})`

/** What is needed of a key that may be banned. */
export const banKeyInWords =
  'a key to spare: the last of two or more of a plan (of the cheapest such plan), or `use: ban`'

const keyOf = ({ plan, keys, beside: which, banKey, eachKey }: Needs): string[] => [
  ...(plan === undefined ? [] : [`a key of the plan ${plan}`]),
  ...(which === undefined ? [] : [beside[which]]),
  ...(eachKey ? ['a second key of a plan, or a key with `use: ban`'] : []),
  ...(banKey ? [banKeyInWords] : []),
  ...(keys === undefined ? [] : [`${count(keys, 'key', 'keys')} beside the one for bans`]),
]

/** What has to be given before it can be asked. */
export const needsInWords = (needs: Needs): string[] => [
  ...(needs.allow ?? []).map(permissionInWords),
  ...keyOf(needs),
  ...(needs.clock ? ["the target's test clock (--clock URL)"] : []),
  ...(needs.description ? ['the published description (--description URL)'] : []),
  ...(needs.made ? [made[needs.made]] : []),
  ...(needs.getPet ? ['a target before the removal of 5 December 2030'] : []),
]
