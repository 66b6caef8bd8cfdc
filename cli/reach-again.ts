// How a run reached its target, from the command in its journal: it is resumed in the same way.
import type { Again } from '../engine/run-file.ts'
import type { ReachFlags } from './run-flags.ts'

const names = ['ca', 'cert', 'cert-key', 'cert-passphrase', 'proxy', 'insecure'] as const

/** The flags that `againOf` wrote down; none where they came from a configuration alone. */
export const reachAgain = (again: Again | undefined): ReachFlags => {
  const given = new Map(again?.words.map(([flag, value]) => [flag, value ?? true]))
  const flags = names.flatMap((name) => {
    const value = given.has(`--no-${name}`) ? false : given.get(`--${name}`)
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(flags)
}
