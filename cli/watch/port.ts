// Whether a server listens: asked by opening a connection and closing it, with nothing sent.
import { connect } from 'node:net'

export type PortState = 'open' | 'closed' | 'unknown'

export interface Place {
  readonly host: string
  readonly port: number
}

/** Longer than this a connection is not waited for. */
const probeMostMs = 2_000

/** What says nothing of the server: our own limits. */
const ownFaults = ['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'ENOBUFS', 'ENOMEM']

export const probePort = ({ host, port }: Place): Promise<PortState> =>
  new Promise((resolve) => {
    const socket = connect({ host, port })
    const end = (state: PortState) => {
      socket.destroy()
      resolve(state)
    }
    socket.setTimeout(probeMostMs, () => end('unknown'))
    socket.once('connect', () => end('open'))
    socket.on('error', ({ code = '' }: NodeJS.ErrnoException) =>
      end(ownFaults.includes(code) ? 'unknown' : 'closed'),
    )
  })

/** Where a base address is listened at. */
export const placeOf = (baseUrl: string): Place => {
  const { hostname, port, protocol } = new URL(baseUrl)
  const usual = protocol === 'https:' ? 443 : 80
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? usual : Number(port) }
}

export interface PortWatch {
  readonly state: () => PortState
  readonly close: () => void
}

/**
 * Asks again and again, one probe at a time.
 * @param turned told when the state becomes another; what is unknown turns nothing
 */
export const watchPort = (
  probe: () => Promise<PortState>,
  everyMs: number,
  turned: (state: 'open' | 'closed') => void,
): PortWatch => {
  let state: PortState = 'unknown'
  let hasEnded = false
  let timer: NodeJS.Timeout | undefined
  const look = async () => {
    const found = await probe()
    if (hasEnded) return
    timer = setTimeout(look, everyMs)
    if (found === 'unknown' || found === state) return
    state = found
    turned(found)
  }
  look()
  return {
    state: () => state,
    close: () => {
      hasEnded = true
      clearTimeout(timer)
    },
  }
}
