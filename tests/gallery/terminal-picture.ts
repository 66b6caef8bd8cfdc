// A terminal as a picture: the text of a real run as SVG, which needs no browser to make.

const columns = 96
const lineHeight = 19
const charWidth = 8.4
const margin = 20

const colours: readonly (readonly [RegExp, string])[] = [
  [/^\$ /, '#9ecbff'],
  [/^(FAIL|petvet: not conformant)/, '#ff8a80'],
  [/^ {2}(Expected|Actual|Request|Reproduce)\b/, '#e6edf3'],
]

const escaped = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

/** Lines that are too long end in an ellipsis. */
const cut = (line: string): string =>
  line.length > columns ? `${line.slice(0, columns - 1)}…` : line

const textOf = (line: string, at: number): string => {
  const colour = colours.find(([pattern]) => pattern.test(line))?.[1] ?? '#adbac7'
  const place = `x="${margin}" y="${margin + 14 + at * lineHeight}"`
  return `<text ${place} fill="${colour}" xml:space="preserve">${escaped(line)}</text>`
}

export const terminalPicture = (text: string): string => {
  const lines = text.trimEnd().split('\n').map(cut)
  const width = Math.ceil(columns * charWidth) + 2 * margin
  const height = lines.length * lineHeight + 2 * margin
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}"`,
    ` height="${height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">`,
    '<title>petvet check in a terminal</title>',
    `<rect width="${width}" height="${height}" rx="8" fill="#1c2128"/>`,
    ...lines.map(textOf),
    '</svg>',
    '',
  ].join('\n')
}
