// Texts that differ but look the same: their code points, so that a reader sees the difference.

/** Letters of other scripts that look like a Latin one, in pairs. */
const lookAlikes = new Map(
  (
    'АA ВB ЕE КK МM НH ОO РP СC ТT ХX ІI ЅS аa еe оo рp сc уy хx іi ѕs јj ' +
    "ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX οo νv ıi ‐- ‑- –- —- ’' ‘'"
  )
    .split(' ')
    .map((pair) => [pair.slice(0, 1), pair.slice(1)]),
)

const invisible = /\p{Cf}|\p{Variation_Selector}/gu

/** What is left of a text once everything that cannot be seen is the same. */
const appearance = (text: string): string =>
  [...text.normalize('NFKC').replaceAll(invisible, '').replaceAll(/\s+/gu, ' ').trim()]
    .map((letter) => lookAlikes.get(letter) ?? letter)
    .join('')
    .normalize('NFC')

/** The texts in quotes, unescaped; else the whole text. */
const quotedIn = (text: string): string[] =>
  [...text.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([quoted]) => {
    try {
      return JSON.parse(quoted) as string
    } catch {
      return quoted.slice(1, -1)
    }
  })

const maxCodePoints = 12

const codePoints = (letters: readonly string[]): string => {
  const shown = letters
    .slice(0, maxCodePoints)
    .map(
      (letter) => `U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
    )
  return shown.length === 0 ? 'nothing' : shown.join(' ')
}

/** `U+00E9, got U+0065 U+0301`: the part in which the two differ. */
const difference = (expected: string, actual: string): string => {
  const [wanted, seen] = [[...expected], [...actual]]
  let from = 0
  while (from < wanted.length && wanted[from] === seen[from]) from += 1
  let fromEnd = 0
  const most = Math.min(wanted.length, seen.length) - from
  while (fromEnd < most && wanted.at(-1 - fromEnd) === seen.at(-1 - fromEnd)) fromEnd += 1
  const part = (letters: readonly string[]) =>
    codePoints(letters.slice(from, letters.length - fromEnd))
  return `${part(wanted)}, got ${part(seen)}`
}

/**
 * The code points in which an expected and an actual text differ that look alike: composed and
 * decomposed letters, letters of other scripts, kinds of spaces, invisible characters.
 * @returns one line, or undefined where no such pair is among their quoted texts
 */
export const lookAlike = (expected: string, actual: string): string | undefined => {
  const seen = quotedIn(actual)
  for (const wanted of quotedIn(expected)) {
    const twin = seen.find(
      (text) => text !== wanted && appearance(text) === appearance(wanted) && wanted !== '',
    )
    if (twin !== undefined && !seen.includes(wanted)) return difference(wanted, twin)
  }
  return undefined
}
