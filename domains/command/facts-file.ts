// Facts on a disk: written whole, and read back only where they have the form that is judged.
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { UsageError } from '../../cli/usage-error.ts'
import { compileSchema } from '../../spec/schemas.ts'
import schema from '../check/facts.schema.json' with { type: 'json' }
import type { Facts } from '../check/facts.ts'

const longestBytes = 64 * 1024 * 1024

const check = compileSchema(schema)

export const readFacts = (file: string): Facts => {
  try {
    if (statSync(file).size > longestBytes) throw new Error('it is too long to be facts')
    const value = parse(readFileSync(file, 'utf8'))
    const fault = check(value)
    if (fault === undefined) return value as Facts
    throw new Error(`no facts that this version can judge: ${fault}`)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new UsageError(`--facts ${file}: ${code ?? message}`)
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('it is no JSON')
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
