// Clean-up at the end of a test, also where several tests of a file run at the same time: then
// vitest knows the test by its context alone.
import { AsyncLocalStorage } from 'node:async_hooks'
import { onTestFinished } from 'vitest'

type CleanUp = () => void | Promise<void>

const ofTest = new AsyncLocalStorage<(cleanUp: CleanUp) => void>()

/** Runs a test that may run next to others: what it starts is stopped at its own end. */
export const withTestEnd = <T>(onEnd: (cleanUp: CleanUp) => void, run: () => Promise<T>) =>
  ofTest.run(onEnd, run)

export const atTestEnd = (cleanUp: CleanUp): void => (ofTest.getStore() ?? onTestFinished)(cleanUp)
