// Mutants of the limiter that a load finds too: they prove its verdicts that need no crowd.

/** By the verdict of a load scenario: the mutant on which it fails. */
export const mutantUnderLoad: ReadonlyMap<string, string> = new Map([
  ['load-burst-not-fewer', 'free-one-call-fewer'],
  ['load-burst-excess-429', 'excess-answered-401'],
  ['load-edge-double-not-more', 'limit-doubled-in-bursts'],
  ['load-edge-not-fewer', 'limit-keeps-a-reserve'],
  ['load-fleet-not-more', 'free-one-call-more'],
  ['load-fleet-not-fewer', 'free-one-call-fewer'],
  ['load-backoff-window-ends', 'window-never-ends'],
  ['load-ban-after-429', 'excess-answered-403'],
  ['load-ban-ends', 'ban-for-ever'],
])
