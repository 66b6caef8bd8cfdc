// The line of a YAML or JSON text on which a member stands, for a message about it.

/**
 * Goes from member to member through the text: a name to its next `name:`, a number to that item
 * of a list. Texts laid out in an unusual way may lead nowhere, and then no line is told.
 */
export const lineOf = (text: string, path: readonly string[]): number | undefined => {
  let offset = 0
  for (const part of path) {
    const found = /^\d+$/.test(part)
      ? itemAt(text, offset, Number(part))
      : nameAt(text, offset, part)
    if (found === undefined) return undefined
    offset = found
  }
  return path.length === 0 ? undefined : text.slice(0, offset + 1).split('\n').length
}

const nameAt = (text: string, offset: number, name: string): number | undefined => {
  const spelt = RegExp.escape(name)
  const pattern = new RegExp(`(?<=^|[\\s{,-])(?:${spelt}|"${spelt}"|'${spelt}')\\s*:`, 'g')
  pattern.lastIndex = offset
  return pattern.exec(text)?.index
}

const itemAt = (text: string, offset: number, position: number): number | undefined => {
  const list = text.slice(offset)
  const dashed = /^[^\n]*:[ \t]*(?:#[^\n]*)?\n/.exec(list) !== null
  const items = [...list.matchAll(dashed ? /^[ \t]*- /gm : /[[,]\s*(?=[{"'\d])/g)]
  const item = items[position]
  return item && offset + item.index + item[0].length - 1
}
