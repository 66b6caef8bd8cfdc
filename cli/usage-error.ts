// The error of wrong usage or configuration: one line that says what to do, and exit 2.

export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}
