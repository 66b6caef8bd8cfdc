// Signals: the first one ends a run with its report, the second ends the process at once.

interface Interrupt {
  readonly signal: AbortSignal
  /** Restores the default handling of the signals. */
  readonly release: () => void
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The exit code of an interrupted run. */
export const interruptedCode = 130

export const onInterrupt = (): Interrupt => {
  const controller = new AbortController()
  const interrupted = () => {
    if (controller.signal.aborted) process.exit(interruptedCode)
    controller.abort()
  }
  for (const name of signals) process.on(name, interrupted)
  return {
    signal: controller.signal,
    release: () => {
      for (const name of signals) process.off(name, interrupted)
    },
  }
}

/** Resolves when a signal asks the process to end. */
export const untilInterrupted = ({ signal }: Interrupt): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
