// The texts of the messages that end a run with exit code 3, read from the code.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../layout/sources.ts'

const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')

/** String and template literals, without what stands between `${` and `}`. */
const piecesIn = (text: string): string[] =>
  [...text.matchAll(/'([^'\n]*)'|`([^`]*)`/g)].flatMap(([, quoted, template = '']) =>
    quoted === undefined ? template.split(/\$\{(?:[^{}]|\{[^{}]*\})*\}/) : [quoted],
  )

/** @returns the pieces of prose: those of two words and more */
export const proseIn = (path: string): string[] =>
  piecesIn(withoutComments(readFileSync(join(root, path), 'utf8')))
    .map((piece) => piece.replace(/^[\s:;,(]+|[\s:;,()]+$/g, ''))
    .filter((piece) => /[a-z]\S* \S/.test(piece))
