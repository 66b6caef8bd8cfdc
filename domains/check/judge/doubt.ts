// What may explain a mismatch in DNS without a fault: time, a proxy, resolvers that differ.
import { ambiguous, blocked, type Result } from '../declare.ts'
import { type HostScene, list, type Scene } from '../scene.ts'
import type { HostView } from '../walk.ts'

const hourMs = 3600_000
/** How long a change may take to be seen. */
const propagationMs = 48 * hourMs

export const foreignIn = ({ platform }: Scene, { own }: HostView): string[] =>
  own.map(({ data }) => data).filter((address) => !platform.includes(address))

/** A mismatch after a recent change may pass by itself. */
export const unlessYoung = (scene: Scene, result: Result): Result => {
  const { since } = scene.facts.settings
  if (result.kind !== 'breach' || since === null) return result
  const ageMs = scene.atMs - Date.parse(since)
  if (ageMs >= propagationMs) return result
  const hours = (ageMs / hourMs).toFixed(1)
  return blocked(
    `${result.actual}; ${hours} h after the change, and DNS may take 48 h: check again later`,
  )
}

/** Whether two resolvers see the same aliases. */
export const sameView = (a: HostView, b: HostView): boolean =>
  list(a.chain) === list(b.chain) &&
  list(a.cnames.map(({ data }) => data)) === list(b.cnames.map(({ data }) => data))

/** A mismatch in DNS that has a legal explanation is no breach. */
export const unlessExplained = (scene: Scene, host: HostScene, result: Result): Result => {
  if (result.kind !== 'breach') return result
  const { allowProxy, since } = scene.facts.settings
  if (allowProxy && foreignIn(scene, host.dns).length > 0) {
    return ambiguous(`${result.actual}; a proxy hides what it points to (--allow-proxy)`)
  }
  // Where resolvers differ, a change is on its way, unless it is known to be old.
  const other = host.elsewhere.find(
    (view) => view.cnameTrouble === null && !sameView(view, host.dns),
  )
  if (!other || since !== null) return unlessYoung(scene, result)
  const why = `another resolver sees ${list(other.chain)}: --since says for how long`
  return ambiguous(`${result.actual}; ${why}`)
}
