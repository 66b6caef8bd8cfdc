// The signals that end a command early: Ctrl-C and its like.
import { once } from 'node:events'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The exit code of an interrupted run. */
export const interruptedCode = 130

/** Works to its end or until a signal. @returns the exit code */
export const interruptible = async (
  work: (signal: AbortSignal) => Promise<number>,
): Promise<number> => {
  const controller = new AbortController()
  const { signal } = controller
  const interrupt = () => {
    if (signal.aborted) process.exit(interruptedCode)
    controller.abort()
  }
  for (const name of signals) process.on(name, interrupt)
  try {
    const code = await work(signal)
    return signal.aborted ? interruptedCode : code
  } finally {
    for (const name of signals) process.off(name, interrupt)
  }
}

/** Resolves when a signal asks the process to end. */
export const untilInterrupted = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, 'abort')
}
