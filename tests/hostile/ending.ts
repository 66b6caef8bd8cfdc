// How a run at a hostile target has to end.

export interface Ending {
  /** The exit code; where it depends on which requests are hit, a pattern of them. */
  readonly code: number | string
  /** What its terminal report says. */
  readonly says: RegExp
  /** The checks that may end differently from the valid reference. */
  readonly concerns: RegExp | null
  /** Whether at least one of them must fail. */
  readonly mustFail: boolean
}

export const impossible = (says: RegExp): Ending => ({
  code: 3,
  says,
  concerns: null,
  mustFail: false,
})

export const fails = (says: RegExp): Ending => ({ code: 1, says, concerns: null, mustFail: false })

export const undecided: Ending = { code: 4, says: /undecided/, concerns: null, mustFail: false }

/** It is strange and legal, and so much of it may be left untested that the run is undecided. */
export const unread: Ending = {
  code: '[04]',
  says: /conformant|undecided|violations? found/,
  concerns: /^(response|create-together|list|get|header|body|pet|answer|date|limit|error)-/,
  mustFail: false,
}

/** The spoilt responses violate the requirements of these checks, and no other check fails. */
export const breaks = (concerns: RegExp): Ending => ({
  code: 1,
  says: /not conformant/,
  concerns,
  mustFail: true,
})

/** It is strange and legal: every check ends as with the valid reference. */
export const legal: Ending = {
  code: 0,
  says: /conformant|no violations found/,
  concerns: null,
  mustFail: false,
}
