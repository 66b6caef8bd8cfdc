// The message about a file that cannot be read.
import { UsageError } from './usage-error.ts'

/** A variable that holds the text of a file is easily taken for one that holds its path. */
const isText = (file: string): boolean => file.length > 300 || /[\n{}]|-----BEGIN/.test(file)

/** @returns the error to throw, in which no text of a file stands */
export const unread = (what: string, file: string, error: unknown): UsageError => {
  const { code } = error as NodeJS.ErrnoException
  return new UsageError(
    isText(file)
      ? `cannot read ${what} (${code}): it takes the path of a file, and not its text`
      : `cannot read ${what} ${file}: ${code}`,
  )
}
