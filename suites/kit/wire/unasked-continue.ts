// Takes `100 Continue` out of what a target sends: it says nothing, and a client that did not ask
// for it may drop it (RFC 9110, 15.2.1). The library under the wire closes the connection instead.
import type { Socket } from 'node:net'

/** A head that is longer is left to be refused. */
const headMostBytes = 16 * 1024

const end = '\r\n\r\n'
const nothing: Buffer = Buffer.alloc(0)

/** With so many bytes it is known what kind of answer begins. */
const telling = 'HTTP/1.1 100 '.length
const interim = /^HTTP\/1\.1 1(?!01)\d\d[ \r]/
const interimSoFar = /^HTTP\/1\.1 1\d{0,2}$/

type Kind = 'continue' | 'interim' | 'final' | 'unknown'

const kindOf = (head: string): Kind => {
  if (interim.test(head)) return head.startsWith('HTTP/1.1 100') ? 'continue' : 'interim'
  const mayCome = interimSoFar.test(head) || 'HTTP/1.1 1'.startsWith(head)
  return head.length < telling && mayCome ? 'unknown' : 'final'
}

interface Cut {
  readonly given: readonly Buffer[]
  /** What more has to come of before it can be told. */
  readonly held: Buffer
  readonly isFinal: boolean
}

/** Takes it out of bytes that begin with the head of an answer; other interim answers stay. */
const cut = (bytes: Buffer): Cut => {
  const given: Buffer[] = []
  for (let left = bytes; ; ) {
    const kind = kindOf(left.toString('latin1', 0, telling))
    const to = kind === 'final' ? -1 : left.indexOf(end)
    if (to < 0) {
      const isHeld = kind !== 'final' && left.length < headMostBytes
      if (isHeld) return { given, held: left, isFinal: false }
      return { given: [...given, left], held: nothing, isFinal: true }
    }
    if (kind !== 'continue') given.push(left.subarray(0, to + end.length))
    left = left.subarray(to + end.length)
  }
}

/** The socket, read without it. One request at a time is written to it, and each is answered. */
export const withoutContinue = <Any extends Socket>(socket: Any): Any => {
  const read = socket.read.bind(socket)
  const write = socket.write.bind(socket)
  let isHead = false
  let held = nothing

  const readOn = (size?: number): Buffer | null => {
    for (let chunk = read(size); chunk !== null; chunk = read(size)) {
      if (!isHead) return chunk
      const found = cut(Buffer.concat([held, chunk]))
      held = found.held
      isHead = !found.isFinal
      if (found.given.length > 0) return Buffer.concat(found.given)
    }
    return null
  }
  const writeOn = (...args: Parameters<typeof write>): boolean => {
    isHead = true
    return write(...args)
  }
  return Object.assign(socket, { read: readOn, write: writeOn })
}
