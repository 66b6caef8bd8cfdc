// Single keys, as they are pressed at a terminal.

export type Press = 'again' | 'all' | 'failed' | 'quit' | 'help' | 'interrupt'

const presses: Readonly<Record<string, Press>> = {
  '\r': 'again',
  '\n': 'again',
  a: 'all',
  f: 'failed',
  q: 'quit',
  h: 'help',
  '?': 'help',
  '\u0003': 'interrupt',
  '\u0004': 'quit',
}

export const keysLine = 'Enter: again · a: everything · f: only what failed · q: quit · h: help'

interface Keys extends NodeJS.ReadableStream {
  setRawMode?: (isRaw: boolean) => unknown
}

/**
 * Takes the keys of a terminal one by one until it is let go.
 * @param pressed told each one that means something
 */
export const listenToKeys = (input: Keys, pressed: (press: Press) => void): (() => void) => {
  const heard = (chunk: Buffer | string) => {
    const text = String(chunk)
    // An arrow or a function key is several characters, the first of which is this.
    if (text.startsWith('\u001b')) return
    const press = presses[text[0]?.toLowerCase() ?? '']
    if (press) pressed(press)
  }
  const ended = () => pressed('quit')
  input.setRawMode?.(true)
  input.on('data', heard)
  input.once('end', ended)
  input.resume()
  return () => {
    input.off('data', heard)
    input.off('end', ended)
    input.setRawMode?.(false)
    input.pause()
  }
}
