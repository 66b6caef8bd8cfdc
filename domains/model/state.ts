// The state of the publishing model: projects, their domains, events, and responses.
import type { Plan } from '../../spec/plans.ts'
import type { RecordToSet } from '../rules/host-name.ts'

/** What a platform may choose where the interface is silent. */
export interface Policy {
  /** The platform subdomain once a custom domain is active. */
  readonly subdomain: 'serve' | 'redirect' | 'vanish'
  /** Path and query in a Location. */
  readonly path: 'kept' | 'dropped'
  /** Plain HTTP: a redirect to HTTPS, the same response, or a refusal. */
  readonly plainHttp: 'https' | 'same' | 'refuse'
  readonly removedAnswer: 'not-found' | 'gone' | 'misdirected' | 'parked' | 'no-handshake'
}

/** What the demonstration does. */
export const usualPolicy: Policy = {
  subdomain: 'serve',
  path: 'kept',
  plainHttp: 'https',
  removedAnswer: 'not-found',
}

/** What DNS says of a host at one moment, read at its own name. */
export interface DnsFacts {
  readonly cnames: readonly string[]
  /** A and AAAA records at the name itself; at an apex, what ALIAS or ANAME comes to. */
  readonly addresses: readonly string[]
  readonly platformAddresses: readonly string[]
}

/** The world outside the model, read anew each time. */
export interface Surroundings {
  readonly dns: (host: string) => DnsFacts
  /** Whether the CAA records let the platform's authority issue for a host. */
  readonly caaAllows: (host: string) => boolean
}

export interface Redirect {
  readonly from: string
  readonly to: string
  readonly status: number
}

/** The two states are kept apart: a name is accepted first, its certificate comes later. */
export interface Domain {
  readonly host: string
  readonly addedMs: number
  readonly dns: 'pending' | 'verified' | 'invalid'
  /** Why the last Verify said no. */
  readonly reason: string | null
  /** Since when a certificate is being requested; null: it is not. */
  readonly requestedMs: number | null
  /** Whether the platform has given up requesting one: Re-verify starts it again. */
  readonly stalled: boolean
  /** The names in the certificate; null: there is none. */
  readonly certificate: readonly string[] | null
}

export interface Project {
  readonly slug: string
  readonly plan: Plan
  /** How each deploy ended, in order. */
  readonly deploys: readonly ('ok' | 'failed')[]
  readonly domains: readonly Domain[]
  readonly primary: string | null
  readonly redirects: readonly Redirect[]
}

export interface Platform {
  readonly nowMs: number
  /** Where customers point their domains: `{platform_host}`. */
  readonly host: string
  /** What subdomains of projects end in. */
  readonly zone: string
  readonly policy: Policy
  readonly projects: readonly Project[]
}

export type PublishingEvent =
  | { readonly kind: 'deploy'; readonly slug: string; readonly ok: boolean }
  | { readonly kind: 'plan'; readonly slug: string; readonly plan: Plan }
  | {
      readonly kind: 'add' | 'verify' | 're-verify' | 'remove'
      readonly slug: string
      readonly host: string
    }
  | {
      readonly kind: 'configure'
      readonly slug: string
      readonly primary: string
      readonly redirects: readonly Redirect[]
    }
  | { readonly kind: 'pass'; readonly ms: number }

export type Reply =
  | { readonly ok: true; readonly record?: RecordToSet }
  | { readonly ok: false; readonly reason: string }

export interface Step {
  readonly platform: Platform
  readonly reply: Reply
}

/** What a host responds over HTTPS. */
export type HostAnswer =
  | { readonly kind: 'serve'; readonly slug: string }
  | { readonly kind: 'redirect'; readonly status: number; readonly to: string }
  | { readonly kind: 'nothing' }
