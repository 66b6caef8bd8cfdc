// Where the publishing rules are silent: what a platform may choose, each point with its key.

interface Point {
  readonly question: string
  /** The first is what the reference does. */
  readonly choices: readonly [string, string, ...string[]]
}

export const policies = {
  subdomain: {
    question: 'What does the platform subdomain do once a custom domain is active?',
    choices: ['serve', 'redirect', 'vanish'],
  },
  reVerifyFailure: {
    question: 'Does an active domain stop serving when Re-verify finds its DNS gone?',
    choices: ['keep', 'stop'],
  },
  path: {
    question: 'Does a Location keep path and query?',
    choices: ['kept', 'dropped'],
  },
  plainHttp: {
    question: 'What does plain HTTP return?',
    choices: ['https', 'same', 'refuse'],
  },
  removedAnswer: {
    question: 'What does a removed domain return?',
    choices: ['not-found', 'gone', 'misdirected', 'parked', 'no-handshake'],
  },
} as const satisfies Record<string, Point>

type Policies = typeof policies

/** One choice for each point. */
export type Policy = { readonly [Key in keyof Policies]: Policies[Key]['choices'][number] }

/** What the reference does. */
export const usualPolicy = Object.fromEntries(
  Object.entries(policies).map(([key, { choices }]) => [key, choices[0]]),
) as Policy
