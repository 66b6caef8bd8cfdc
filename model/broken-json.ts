// A body that is not JSON: whether a lenient parser takes it, and what is wrong with it.

import { isObject, parseJson } from '../history/json.ts'
import { count } from '../history/quote.ts'
import { short } from './clause.ts'

/** A longer text is shown around what is wrong with it. */
export const maxShownText = 60

/** Whether an object of JSON is not closed, or a string in it. */
export const isCutOff = (text: string): boolean => {
  const bare = text.replace(/"(?:[^"\\]|\\.)*"/gs, '')
  return bare.includes('"') || bare.split('{').length > bare.split('}').length
}

/** A text that is not JSON; what a lenient parser may take of it is a should (ruling 1). */
export const brokenIs = (text: string): 'invalid' | 'lenient' | 'open' => {
  const trimmed = text.trim()
  if (text.startsWith('\ufeff')) return 'open'
  if (trimmed.startsWith('{') && !isCutOff(trimmed)) return 'lenient'
  return trimmed.startsWith('/') ? 'lenient' : 'invalid'
}

/** Of a text so much is shown around what is wrong with it. */
const near = { before: 24, after: 12 }

/** A text with so many closing braces is not tried at each. */
const maxEnds = 20

/** The end of the longest beginning that more text could make JSON of. */
const faultAt = (text: string): number => {
  try {
    JSON.parse(text)
  } catch (error) {
    const [, at] = /at position (\d+)/.exec(String(error)) ?? []
    // Where it names no position it shows ten characters before the token.
    const [, shown] = /, \.\.\."(.*)"(?:\.\.\.)? is not valid JSON$/s.exec(String(error)) ?? []
    if (at !== undefined) return Number(at)
    if (shown !== undefined) return text.indexOf(shown) + 10
  }
  return text.length
}

/** The whole text, if it is short; else where it ends too early, or what is no JSON of it. */
export const describeFault = (text: string): string => {
  if (text.trim() === '') return 'it is blank'
  if (text.length <= maxShownText) return short(text)
  const isEarly = isCutOff(text)
  const at = isEarly ? text.length : faultAt(text)
  const from = Math.max(0, at - near.before)
  const to = at + near.after
  const dots = to < text.length ? '…' : ''
  const shown = `${from > 0 ? '…' : ''}${short(text.slice(from, to))}${dots}`
  return isEarly ? `cut after ${count(text.length, 'character', 'characters')}` : shown
}

const isObjectText = (text: string): boolean => {
  try {
    return isObject(parseJson(text))
  } catch {
    return false
  }
}

/** Where the object ends that a text begins with, if more than space follows. */
export const endOfObject = (text: string): number | undefined => {
  const ends = [...text.matchAll(/\}/g)].map(({ index }) => index + 1).slice(0, maxEnds)
  return ends.find((end) => isObjectText(text.slice(0, end)))
}
