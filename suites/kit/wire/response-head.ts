// What a target may send in a head, and the library under the wire does not take: `100 Continue`
// that nobody asked for, which says nothing and may be dropped (RFC 9110, 15.2.1), and blanks after
// the number of Content-Length, which are no part of it (5.5).
import type { Socket } from 'node:net'

/** A head that is longer is left to be refused. */
export const maxHeadBytes = 64 * 1024

const end = '\r\n\r\n'
const nothing: Buffer = Buffer.alloc(0)

const version = 'HTTP/1.'
const interim = /^HTTP\/1\.\d 1(?!01)\d\d[ \r]/
const isContinue = /^HTTP\/1\.\d 100/

/** Whether it begins as a head does, whose lines end as they have to: then an end is to come. */
const mayBeHead = (bytes: Buffer): boolean => {
  const begun = bytes.toString('latin1', 0, version.length)
  const lineEnd = bytes.indexOf('\n')
  return version.startsWith(begun) && (lineEnd < 0 || bytes[lineEnd - 1] === 0x0d)
}

const withoutBlanks = (head: Buffer): Buffer => {
  const text = head.toString('latin1')
  const trimmed = text.replace(/(\r\ncontent-length:[ \t]*\d+)[ \t]+(?=\r\n)/gi, '$1')
  return trimmed === text ? head : Buffer.from(trimmed, 'latin1')
}

interface Cut {
  readonly given: readonly Buffer[]
  /** What more has to come of before it is known what it is. */
  readonly held: Buffer
  readonly isFinal: boolean
}

/** Reads heads up to that of the final response; interim ones but `100 Continue` stay. */
const cut = (bytes: Buffer): Cut => {
  const given: Buffer[] = []
  for (let left = bytes; ; ) {
    const to = mayBeHead(left) ? left.indexOf(end) : -1
    if (to < 0) {
      const isHeld = mayBeHead(left) && left.length < maxHeadBytes
      if (isHeld) return { given, held: left, isFinal: false }
      return { given: [...given, left], held: nothing, isFinal: true }
    }
    const head = left.subarray(0, to + end.length)
    const begin = head.toString('latin1', 0, 'HTTP/1.1 100 '.length)
    left = left.subarray(head.length)
    if (!interim.test(begin)) {
      return { given: [...given, withoutBlanks(head), left], held: nothing, isFinal: true }
    }
    if (!isContinue.test(begin)) given.push(head)
  }
}

/**
 * The socket, read with heads that the library takes. One request at a time is written to it, and
 * each is answered.
 */
export const withPlainHeads = <Any extends Socket>(socket: Any): Any => {
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
