// Text of a target made fit for a terminal or XML: what would steer the reader is shown instead.

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
export const visible = (text: string): string => text.replace(unseen, spell)

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const spell = (character: string): string =>
  short[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
