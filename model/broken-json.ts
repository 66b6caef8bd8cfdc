// A body that is not JSON: whether a lenient parser takes it, and what is wrong with it.

import { count } from '../history/quote.ts'
import { short } from './clause.ts'

/** Of a longer text the end is shown. */
const maxShownText = 60
const maxShownEnd = 24

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

/** The whole text, if it is short; else its end, and whether that comes too early. */
export const describeFault = (text: string): string => {
  if (text.trim() === '') return 'it is blank'
  if (text.length <= maxShownText) return short(text)
  return isCutOff(text)
    ? `cut after ${count(text.length, 'character', 'characters')}`
    : `…${short(text.slice(-maxShownEnd))}`
}
