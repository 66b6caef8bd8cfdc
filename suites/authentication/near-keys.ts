// Texts that are almost a valid key, each with the words of a shell that make it of `$PETVET_KEY`.

export const otherFirst = (key: string) => `${key.startsWith('x') ? 'y' : 'x'}${key.slice(1)}`
export const otherLast = (key: string) => `${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`
export const half = (key: string) => Math.floor(key.length / 2)
export const otherMiddle = (key: string) =>
  `${key.slice(0, half(key))}${otherFirst(key.slice(half(key)))}`
/** Of `sk_live_abc` the l: behind the first mark between two parts; else the second character. */
export const otherSegment = (key: string) => {
  const [first = ''] = /^(?:[^-_.]*[-_.](?=.)|.)/s.exec(key) ?? []
  return `${first}${otherFirst(key.slice(first.length))}`
}

export const swapCase = (key: string) =>
  key.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )

/** `sed` in a shell, over the key. */
export const sed = (script: string) => `$(printf %s "$PETVET_KEY" | sed '${script}')`
export const firstHalf = `\${PETVET_KEY:0:\${#PETVET_KEY}/2}`
export const secondHalf = `\${PETVET_KEY:\${#PETVET_KEY}/2}`
export const middle = `${firstHalf}$(printf %s "${secondHalf}" | sed 's/^x/y/;t;s/^./x/')`
const part = '^([^-_.]*[-_.]|.)'
const otherPart = `s/${part}x/\\1y/;t;s/${part}./\\1x/`
export const segmentShell = `$(printf %s "$PETVET_KEY" | sed -E '${otherPart}')`

/** A key that nobody was issued: 128 bits that follow from the seed are too many to hit one. */
export const unissuedKey = (seed: number): string =>
  `petvet-${BigInt.asUintN(128, (BigInt(seed) + 1n) * 0x9e3779b97f4a7c15f39cc0605cedc835n)}`
