// A file of a run that cannot be written: a disk that is full, a folder that is gone.

/** What is written before it stays whole. */
export class WriteFault extends Error {
  readonly code: string | undefined

  constructor(path: string, error: unknown) {
    const { code, message } = error as NodeJS.ErrnoException
    super(
      `cannot write ${path} (${code ?? message}): the run has ended, and its record stays whole`,
    )
    this.name = 'WriteFault'
    this.code = code
  }
}

/** @throws WriteFault where it cannot be written */
export const orWriteFault = <T>(path: string, write: () => T): T => {
  try {
    return write()
  } catch (error) {
    throw error instanceof WriteFault ? error : new WriteFault(path, error)
  }
}
