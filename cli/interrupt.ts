// Signals: the first one asks for an end with a report, the second ends at once.

export interface Interrupt {
  readonly signal: AbortSignal
  /** Gives the signals back to the system. */
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

/** Resolves when the process is asked to end. */
export const untilInterrupted = ({ signal }: Interrupt): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
