// What may explain a breach of DNS: time, a proxy, an unknown part of the platform.
import { type Said, untested } from '../finding.ts'
import { redirectHost, showsMarker } from '../page.ts'
import type { HostScene, Scene } from '../scene.ts'
import type { HostView } from '../walk.ts'

const hourMs = 3600_000
/** How long a change may take to be seen. */
const propagationMs = 48 * hourMs

export const list = (values: readonly string[]) => values.join(', ') || 'none'

export const foreignIn = ({ platform }: Scene, { own }: HostView) =>
  own.map(({ data }) => data).filter((address) => !platform.includes(address))

/** A breach that time may mend is none yet. */
export const unlessYoung = (scene: Scene, said: Said): Said => {
  const { since } = scene.facts.asked
  if (said.kind !== 'breach' || since === null) return said
  const ageMs = scene.atMs - Date.parse(since)
  if (ageMs >= propagationMs) return said
  const hours = (ageMs / hourMs).toFixed(1)
  return untested(
    'blocked',
    `${said.actual}; ${hours} h after the change, and DNS may take 48 h: ask again later`,
  )
}

/** An address that serves the project under a good certificate may be the platform's, too. */
const isVouchedFor = ({ facts }: Scene, { probes, redirect }: HostScene, address: string) =>
  probes.some((each) => {
    if (each.address !== address || each.purpose !== 'page') return false
    if (each.tls?.error !== null || !each.tls.namesHost) return false
    if (redirect) return redirectHost(each) === redirect.to
    return facts.asked.marker !== null && showsMarker(each, facts.asked.marker) === true
  })

const unlessProxied = (scene: Scene, host: HostScene, said: Said): Said => {
  const foreign = foreignIn(scene, host.dns)
  if (said.kind !== 'breach' || foreign.length === 0) return said
  if (scene.facts.asked.allowProxy) {
    return untested('ambiguous', `${said.actual}; a proxy hides what it points to (--allow-proxy)`)
  }
  if (!foreign.every((address) => isVouchedFor(scene, host, address))) return said
  const why = 'it serves the project: if it is the platform, --platform-address names it'
  return untested('ambiguous', `${said.actual}; ${why}`)
}

/** Whether two resolvers see the same aliases. */
export const sameView = (a: HostView, b: HostView): boolean =>
  list(a.chain) === list(b.chain) &&
  list(a.cnames.map(({ data }) => data)) === list(b.cnames.map(({ data }) => data))

/** Where resolvers differ, a change is on its way, unless it is known to be old. */
const unlessSplit = (scene: Scene, { dns, elsewhere }: HostScene, said: Said): Said => {
  const other = elsewhere.find((view) => view.cnameTrouble === null && !sameView(view, dns))
  if (said.kind !== 'breach' || !other || scene.facts.asked.since !== null) return said
  const why = `another resolver sees ${list(other.chain)}: --since tells for how long`
  return untested('ambiguous', `${said.actual}; ${why}`)
}

/** A breach of DNS that has a legal explanation is none. */
export const unlessExplained = (scene: Scene, host: HostScene, said: Said): Said =>
  unlessYoung(scene, unlessSplit(scene, host, unlessProxied(scene, host, said)))
