// What a check needs, in words, with the flag that provides it.

import type { Permission } from '../../engine/check/context.ts'
import type { Needs, Stage } from '../../engine/check/declare.ts'

/** When in a run: an earlier stage leaves what a later one needs. */
const times: Readonly<Record<Stage, string>> = {
  probes: 'first, as it finds out what others may use',
  unauthenticated: 'while keys wait, as it spends little of their quota',
  refusals: 'before many pets exist',
  creations: 'before the lists are judged',
  reads: 'after the creations',
  limits: 'after the contract, as it uses up a per-minute quota',
  bans: 'late, on a key of its own',
  hazards: 'late, as it may crash the target or spoil its store',
  days: 'late, as it uses up a daily quota',
  rest: 'late, as it spends what nothing else needs',
  time: 'near the end, as it moves the clock',
  removal: 'last, as it moves the clock past the removal',
}

export const whenInWords = ({ stage }: Needs): string => times[stage]

/** What each permission allows. */
const permitted: Readonly<Record<Permission, string>> = {
  write: 'creates pets, which stay',
  exhaust: "spends a key's minute",
  ban: 'may cause a ban',
  day: "spends a key's day",
}

export const permissionInWords = (permission: Permission): string =>
  `--allow ${permission} (${permitted[permission]})`

export const banKeyInWords =
  'a key that may be banned: one with `use: ban` in the configuration file, or else the last key ' +
  'of the cheapest plan that has two or more'

const twoKeysInWords = 'two keys, of any plans (--key free=KEY --key pro=OTHER)'

const keyOf = ({ plan, keys, allow = [] }: Needs): string[] => [
  ...(plan === undefined ? [] : [`a key of the plan ${plan}`]),
  ...(keys === undefined ? [] : [twoKeysInWords]),
  ...(allow.includes('ban') ? [banKeyInWords] : []),
]

/** What it needs in order to run. */
export const needsInWords = (needs: Needs): string[] => [
  ...(needs.allow ?? []).map(permissionInWords),
  ...keyOf(needs),
  ...(needs.clock ? ["the target's test clock (--clock URL)"] : []),
  ...(needs.description ? ['the published description (--description URL)'] : []),
  ...(needs.pets === undefined ? [] : [`${needs.pets} pets: run alone, missing ones are created`]),
  ...(needs.getPet ? ['a target before the removal of 5 December 2030'] : []),
]
