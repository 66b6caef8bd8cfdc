// What the publishing rules leave unsaid, each with the key of the policy that stands for it.
import type { OpenRequirementId, RequirementId } from '../../spec/requirements.ts'

interface Unsaid {
  /** The sentence that is open, or the one whose reach is. */
  readonly about: RequirementId | OpenRequirementId
  readonly question: string
  /** The first is what the reference does. */
  readonly choices: readonly [string, string, ...string[]]
}

export const policies = {
  subdomain: {
    about: 'publishing.instead',
    question: 'What does the platform subdomain do once a custom domain is active?',
    choices: ['serve', 'redirect', 'vanish'],
  },
  reVerifyFailure: {
    about: 'publishing.re-verify-broken',
    question: 'Does an active domain stop serving when Re-verify finds its DNS gone?',
    choices: ['keep', 'stop'],
  },
  path: {
    about: 'publishing.redirect-path',
    question: 'Does a Location keep path and query?',
    choices: ['kept', 'dropped'],
  },
  plainHttp: {
    about: 'publishing.plain-http',
    question: 'What does plain HTTP answer?',
    choices: ['https', 'same', 'refuse'],
  },
  removedAnswer: {
    about: 'publishing.removed-after',
    question: 'What does a removed domain answer?',
    choices: ['not-found', 'gone', 'misdirected', 'parked', 'no-handshake'],
  },
} as const satisfies Record<string, Unsaid>

type Policies = typeof policies

/** One choice for each point that is left unsaid. */
export type Policy = { readonly [Key in keyof Policies]: Policies[Key]['choices'][number] }

/** What the reference does. */
export const usualPolicy: Policy = {
  subdomain: 'serve',
  reVerifyFailure: 'keep',
  path: 'kept',
  plainHttp: 'https',
  removedAnswer: 'not-found',
}
