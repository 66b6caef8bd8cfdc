// The door of the yaml package: YAML or JSON text in, plain values out, no digit lost.
import type { Alias, Document, Node, YAMLMap, YAMLSeq } from 'yaml'
import {
  Composer,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
} from 'yaml'

const maxCharacters = 4 * 1024 * 1024
/** Far deeper than any document that a person or a generator writes. */
const maxDepth = 200
/** Each token costs half a kilobyte until the text is read. */
const maxTokens = 400_000
/** Values with every alias expanded: a few aliases can expand to billions. */
const maxValues = 1_000_000

/** The text may be valid YAML, but exceeds a limit or is ambiguous, so it is not read. */
export class YamlNotRead extends Error {}

/**
 * Reads one YAML document (JSON is YAML). An integer beyond 2^53 comes back as a bigint, any other
 * as a number. Throws an Error of one line that names the line and the column, where it has one; a
 * `YamlNotRead` where the fault may be ours.
 */
export const parseYaml = (text: string): unknown => {
  if (text.length > maxCharacters) {
    throw new YamlNotRead(`the text is longer than ${maxCharacters} characters`)
  }
  const lineCounter = new LineCounter()
  const placed: Placed = (message, offset) => {
    const { line, col } = lineCounter.linePos(offset)
    return `${oneLine(message)} (line ${line}, column ${col})`
  }
  const document = withoutStacks(() => compose(text, lineCounter))
  const [fault] = document.errors
  if (fault) throw new Error(placed(fault.message, fault.pos[0]))
  // A warning is an unknown tag, whose value would be a guess.
  const [warning] = document.warnings
  if (warning) throw new YamlNotRead(placed(warning.message, warning.pos[0]))
  return createReader(placed)(document.contents).value
}

/**
 * The line of a member or an item of a text that `parseYaml` reads.
 * @param path the names and positions that lead to it; if one is missing, the line of its parent
 * @returns undefined for the whole text
 */
export const lineIn = (text: string, path: readonly string[]): number | undefined => {
  const lineCounter = new LineCounter()
  let node: unknown = withoutStacks(() => compose(text, lineCounter)).contents
  let place: Node | undefined
  for (const part of path) {
    const [next, value] = stepTo(node, part)
    if (!next) break
    place = next
    node = value
  }
  return place?.range ? lineCounter.linePos(place.range[0]).line : undefined
}

/** The node that names a part, and its value. */
const stepTo = (node: unknown, part: string): readonly [Node | undefined, unknown] => {
  if (isMap<Node>(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === part)
    return [pair?.key, pair?.value]
  }
  const item = isSeq<Node>(node) ? node.items[Number(part)] : undefined
  return [item, item]
}

/** A text may have an error at each character, and a stack for each would fill the memory. */
const withoutStacks = <T>(work: () => T): T => {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return work()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

const tokensOf = function* (text: string, lineCounter: LineCounter) {
  const parser = new Parser(lineCounter.addNewLine)
  lineCounter.addNewLine(0)
  let parts = 0
  for (const part of new Lexer().lex(text)) {
    parts += 1
    if (parts > maxTokens) throw new YamlNotRead(`the text has more than ${maxTokens} tokens`)
    yield* parser.next(part)
    if (parser.stack.length > maxDepth) throw new YamlNotRead('the text is nested too deeply')
  }
  yield* parser.end()
}

const compose = (text: string, lineCounter: LineCounter): Document.Parsed => {
  // The package compares each key with each other one, and takes a minute for a hundred thousand.
  const composer = new Composer({ intAsBigInt: true, uniqueKeys: false, schema: 'core' })
  let first: Document.Parsed | undefined
  for (const document of composer.compose(tokensOf(text, lineCounter), true, text.length)) {
    if (first) {
      const { line } = lineCounter.linePos(document.range[0])
      throw new Error(`multiple documents, where one is read (line ${line}, column 1)`)
    }
    first = document
  }
  if (!first) throw new Error('no document')
  return first
}

/** A value, and how many values it expands to. */
interface Read {
  readonly value: unknown
  readonly values: number
}

type Placed = (message: string, offset: number) => string

/** Reads nodes in the order of the text, as an alias is the latest anchor of its name before it. */
const createReader = (placed: Placed): ((node: unknown) => Read) => {
  /** Null while the anchored node is still being read. */
  const anchored = new Map<string, Read | null>()

  const refuse = (message: string, node: Node): never => {
    throw new YamlNotRead(placed(message, node.range?.[0] ?? 0))
  }
  const named = (alias: Alias): Read => {
    const found = anchored.get(alias.source)
    if (found) return found
    if (found === null) return refuse(`the alias *${alias.source} refers to its own parent`, alias)
    throw new Error(placed(`nothing is named ${alias.source}`, alias.range?.[0] ?? 0))
  }
  const keyOf = (key: Node): string => {
    // YAML 1.1 parsers merge it; to others it is a plain member.
    if (isScalar(key) && key.type === 'PLAIN' && key.value === '<<') {
      return refuse('a merge key, which YAML 1.2 does not have', key)
    }
    const { value } = read(key)
    if (typeof value === 'object' && value !== null)
      return refuse('a key that is not a scalar', key)
    return String(value ?? '')
  }
  const readMap = ({ items }: YAMLMap<Node, Node | null>): Read => {
    const value = {}
    let values = 1
    for (const { key, value: node } of items) {
      const name = keyOf(key)
      if (Object.hasOwn(value, name)) refuse('Map keys must be unique', key)
      const member = read(node)
      values += member.values
      // A plain assignment would take `__proto__` for the prototype.
      const plain = { writable: true, enumerable: true, configurable: true }
      Object.defineProperty(value, name, { value: member.value, ...plain })
    }
    return { value, values }
  }
  const readSeq = ({ items }: YAMLSeq): Read => {
    const all = items.map(read)
    const values = all.reduce((sum, each) => sum + each.values, 1)
    return { value: all.map(({ value }) => value), values }
  }
  const readNode = (node: unknown): Read => {
    if (isAlias(node)) return named(node)
    if (isMap<Node, Node | null>(node)) return readMap(node)
    if (isSeq(node)) return readSeq(node)
    return { value: isScalar(node) ? narrow(node.value) : null, values: 1 }
  }
  const read = (node: unknown): Read => {
    const name = (isScalar(node) || isCollection(node)) && node.anchor
    if (name) anchored.set(name, null)
    const found = readNode(node)
    if (name) anchored.set(name, found)
    if (found.values > maxValues) refuse('aliases expand to too many values', node as Node)
    return found
  }
  return read
}

const narrow = (value: unknown): unknown =>
  typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value

const oneLine = (message: string): string => message.replace(/\s+/g, ' ').trim()
