// Listens, fills its own queue, and never accepts a connection: this thread is blocked.
import { connect, createServer } from 'node:net'
import { parentPort } from 'node:worker_threads'

const server = createServer()
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  const { port } = server.address()
  for (let waiting = 0; waiting < 4; waiting += 1) connect(port, '127.0.0.1').on('error', () => {})
  parentPort.postMessage(port)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})
