// The door of the yaml package: YAML or JSON text in, plain values out, no digit lost.
import { LineCounter, parseDocument } from 'yaml'

const maxCharacters = 4 * 1024 * 1024
const maxAliasCount = 100

/**
 * Reads one YAML document (JSON is YAML). An integer beyond 2^53 comes back as a bigint, any other
 * as a number. Throws an Error of one line that names the line and the column.
 */
export const parseYaml = (text: string): unknown => {
  if (text.length > maxCharacters) {
    throw new Error(`the text is longer than ${maxCharacters} characters`)
  }
  try {
    return read(text)
  } catch (error) {
    if (error instanceof RangeError) throw new Error('the text is nested too deeply')
    if (error instanceof ReferenceError) throw new Error(oneLine(error.message))
    throw error
  }
}

const read = (text: string): unknown => {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { intAsBigInt: true, lineCounter, prettyErrors: false })
  // A warning is an unknown tag, whose value would be a guess.
  const fault = document.errors[0] ?? document.warnings[0]
  if (fault !== undefined) {
    const { line, col } = lineCounter.linePos(fault.pos[0])
    throw new Error(`${oneLine(fault.message)} (line ${line}, column ${col})`)
  }
  return document.toJS({ maxAliasCount, reviver: (_key, value) => narrow(value) })
}

const narrow = (value: unknown): unknown =>
  typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value

const oneLine = (message: string): string => message.replace(/\s+/g, ' ').trim()
