// Text of a target made fit for a terminal or XML: what would steer the reader is shown instead.
import { withoutCommands } from '../engine/ci-commands.ts'

/**
 * Control characters, marks that turn the direction of text, invisible characters, halves of
 * surrogate pairs, and what XML 1.0 cannot hold.
 */
const unseen = new RegExp(
  [
    '[\\p{Cc}\\p{Surrogate}]',
    '[\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f]',
    '[\\ufeff\\ufff9-\\uffff\\u{e0000}-\\u{e007f}]',
  ].join('|'),
  'gu',
)

/** One line: line ends too become `\n`. */
export const visible = (text: string): string => withoutCommands(text.replace(unseen, spell))

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const spell = (character: string): string =>
  short[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/** JSON that says the same, in which what would steer a terminal or a runner is escaped. */
export const inertJson = (value: unknown, indent?: number): string =>
  withoutCommands(JSON.stringify(value, null, indent), 'json').replace(
    /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
