// A program of ours in a process of its own, which answers each message with one.
import { fork } from 'node:child_process'
import { once } from 'node:events'

/** @param nodeFlags flags of Node, not of this process */
export const forked = (path: URL, args: readonly string[] = [], nodeFlags: string[] = []) => {
  const child = fork(path, args, { execArgv: nodeFlags, env: { PATH: process.env.PATH } })
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  const gone = ended.then((code): never => {
    throw new Error(`${path.pathname} ended with ${code}`)
  })
  gone.catch(() => {})
  const next = async <Answer>(): Promise<Answer> => {
    const [answer] = await Promise.race([once(child, 'message'), gone])
    return answer as Answer
  }
  const ask = <Answer>(message: object | string): Promise<Answer> => {
    const answered = next<Answer>()
    child.send(message)
    return answered
  }
  const kill = () => {
    child.kill('SIGKILL')
  }
  /**
   * Disconnects from it; it has to end by itself within this time.
   * @returns its exit code, or null where it had to be killed
   */
  const end = async (withinMs: number): Promise<number | null> => {
    if (child.connected) child.disconnect()
    const timer = setTimeout(kill, withinMs)
    return ended.finally(() => clearTimeout(timer))
  }
  return { next, ask, kill, end }
}
