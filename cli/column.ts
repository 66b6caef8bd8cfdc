// The Prism mock as a column beside the built-in reference: a baseline that decides nothing.
import { startPrism } from '../reference/prism.ts'
import { plans } from '../spec/plans.ts'
import type { Question } from '../suites/kit/check.ts'
import { runSuites } from '../suites/kit/run.ts'
import type { RunFile } from '../suites/kit/run-file.ts'
import type { RunOptions, RunSink } from '../suites/kit/run-options.ts'
import { plainTarget } from './built-in.ts'

/** It is on this machine, which may be a busy one. */
const answerTimeoutMs = 5_000

/**
 * Prism takes any token, and announces a Free quota to each. A run needs fewer requests than these
 * have in one minute, so that none has to be waited for.
 */
const keys = Array.from({ length: 5 }, (_, index) => ({
  plan: 'free' as const,
  key: `mock-key-${index + 1}`,
  quota: plans.free,
}))

/** It refuses categories beyond 2^53, and so would be asked for none that it was not given. */
const categories = [1n, 2n, 3n, 4_294_967_297n]

/** @param run what the run beside which it stands is told */
export const runColumn = async (
  questions: readonly Question[],
  run: Pick<RunOptions, 'seed' | 'maxRequests' | 'signal'>,
  sink: RunSink,
): Promise<RunFile> => {
  const mock = await startPrism(0)
  try {
    const options = {
      ...plainTarget,
      seed: run.seed,
      maxRequests: run.maxRequests,
      signal: run.signal,
      keys,
      categories,
      baseUrl: mock.url,
      allow: ['write'],
      strict: false,
      answerTimeoutMs,
    } as const
    return await runSuites(questions, options, sink)
  } finally {
    await mock.close()
  }
}
