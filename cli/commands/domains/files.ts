// The files that the commands read and write: the domains file, texts, and saved facts.
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Facts, factsSchema } from '../../../domains/check/facts.ts'
import { type DomainsConfig, lintDomains } from '../../../domains/rules/lint.ts'
import { lineIn, parseYaml } from '../../../spec/yaml.ts'
import { UsageError } from '../../usage-error.ts'

const mebibyte = 1024 * 1024
const maxFactsMebibytes = 64

/** @throws UsageError where it cannot be read, or is too long */
export const readText = (flag: string, file: string, maxMebibytes = 1): string => {
  const path = resolve(file)
  try {
    if (statSync(path).size <= maxMebibytes * mebibyte) return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UsageError(`${flag} ${file}: cannot be read (${code})`)
  }
  throw new UsageError(`${flag} ${file} is longer than ${maxMebibytes} MiB`)
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

/** @throws UsageError where the file holds no facts of this form */
export const readFacts = (file: string): Facts => {
  const text = readText('--facts', file, maxFactsMebibytes)
  const facts = parseFacts(text, file)
  const isOurs = facts?.schema === factsSchema && facts.settings && facts.config && facts.probes
  if (isOurs) return facts as Facts
  throw new UsageError(`--facts ${file}: no facts of this version`)
}

const parseFacts = (text: string, file: string): Partial<Facts> | null => {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`--facts ${file}: it is not JSON`)
  }
}

export const writeFacts = (file: string, facts: Facts): void => {
  try {
    writeFileSync(`${file}.part`, `${JSON.stringify(facts, null, 1)}\n`)
    renameSync(`${file}.part`, file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UsageError(`--facts-out ${file}: cannot be written (${code})`)
  }
}
