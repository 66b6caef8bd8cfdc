// The file of `--notebook`: read with a limit before anything is sent, and written whole each time.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { makeFolder, writeWhole } from '../reports/run-folder.ts'
import { type Notebook, openNotebook } from '../suites/kit/notebook/notebook.ts'
import type { FoundConfig } from './config-file.ts'
import { UsageError } from './usage-error.ts'

/** More than fifty keys can fill with two days of calls. */
const longestBytes = 8 * 1024 * 1024

/** What `--notebook` or else the configuration names, as a whole path. */
export const notebookPath = (
  flag: string | undefined,
  { config, folder: configFolder }: FoundConfig,
  folder: string,
): string | null => {
  if (flag !== undefined) return resolve(folder, flag)
  return config.notebook === undefined ? null : resolve(configFolder, config.notebook)
}

const readText = (file: string): string | null => {
  if (!existsSync(file)) return null
  const stat = statSync(file)
  if (!stat.isFile()) throw new Error('it is no file')
  if (stat.size > longestBytes) throw new Error('it is longer than a notebook can be')
  return readFileSync(file, 'utf8')
}

/** What is wrong, without a line break; a system error by its code. */
const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException
  return code ?? message.replace(/\s+/g, ' ')
}

/** @throws UsageError with one line, where it cannot be read or written, or is none */
export const openNotebookFile = (file: string): Notebook => {
  try {
    const write = (text: string) => {
      writeWhole(dirname(file), basename(file), text)
    }
    const notebook = openNotebook(readText(file), Date.now(), write)
    makeFolder(dirname(file))
    notebook.save()
    return notebook
  } catch (error) {
    const hint = 'name another file, or move this one away'
    throw new UsageError(`the notebook ${file}: ${reasonOf(error)}; ${hint}`)
  }
}
