// The files that the commands read: the domains file, and other texts.
import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { type DomainsConfig, lintDomains } from '../../../domains/rules/lint.ts'
import { lineIn, parseYaml } from '../../../spec/yaml.ts'
import { UsageError } from '../../usage-error.ts'

const maxBytes = 1024 * 1024

/** @throws UsageError if it cannot be read, or is too long */
export const readText = (flag: string, file: string): string => {
  const path = resolve(file)
  try {
    if (statSync(path).size <= maxBytes) return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UsageError(`${flag} ${file}: cannot be read (${code})`)
  }
  throw new UsageError(`${flag} ${file} is longer than 1 MiB`)
}

/** YAML or JSON, by what it is. @throws UsageError that names line and column */
export const readValue = (flag: string, file: string): { text: string; value: unknown } => {
  const text = readText(flag, file)
  try {
    return { text, value: parseYaml(text) }
  } catch (error) {
    throw new UsageError(`${flag} ${file}: ${(error as Error).message}`)
  }
}

/** @throws UsageError with a line for each mistake */
export const readDomains = (
  file: string | undefined,
): { config: DomainsConfig; notes: readonly string[] } => {
  if (file === undefined) throw new UsageError('missing --domains FILE: the file of the domains')
  const { text, value } = readValue('--domains', file)
  const { faults, config, notes } = lintDomains(value)
  if (config) return { config, notes }
  const lines = faults.map(({ path, says, requirement }) => {
    const line = lineIn(text, path)
    return `${file}${line === undefined ? '' : `, line ${line}`}: ${says} (${requirement})`
  })
  throw new UsageError(lines.join('\npetvet: '))
}
