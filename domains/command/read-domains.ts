// The file of the domains, read and held to be sound: one line for each mistake.
import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { UsageError } from '../../cli/usage-error.ts'
import { lineIn, parseYaml } from '../../spec/yaml.ts'
import { type DomainsConfig, type DomainsFault, lintDomains } from '../rules/lint.ts'

export interface ReadDomains {
  readonly config: DomainsConfig
  readonly notes: readonly string[]
}

const longestBytes = 1024 * 1024

/** @throws UsageError where it cannot be read, or is too long */
export const readText = (flag: string, file: string): string => {
  const path = resolve(file)
  try {
    if (statSync(path).size <= longestBytes) return readFileSync(path, 'utf8')
  } catch (error) {
    throw new UsageError(
      `${flag} ${file}: cannot be read (${(error as NodeJS.ErrnoException).code})`,
    )
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

const tell = (file: string, text: string, { path, says, requirement }: DomainsFault): string => {
  const line = lineIn(text, path)
  return `${file}${line === undefined ? '' : `, line ${line}`}: ${says} (${requirement})`
}

/** @throws UsageError with a line for each mistake */
export const readDomains = (file: string | undefined): ReadDomains => {
  if (file === undefined) throw new UsageError('--domains is needed: the file of the domains')
  const { text, value } = readValue('--domains', file)
  const { faults, config, notes } = lintDomains(value)
  if (config) return { config, notes }
  throw new UsageError(faults.map((fault) => tell(file, text, fault)).join('\npetvet: '))
}
