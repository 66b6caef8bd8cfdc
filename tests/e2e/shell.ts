// Programs, lines of a shell, and commands in its path that stand in for those of a system.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Ended } from './petvet.ts'

const bin = join(import.meta.dirname, '../../bin/petvet.js')

/** A line that starts petvet in the place of a script, with its words. */
export const execPetvet = `exec '${process.execPath}' '${bin}' "$@"`

/** Commands in a folder by their names, each with the lines of its script. */
export const writeCommands = (folder: string, scripts: Readonly<Record<string, string>>): void => {
  for (const [name, lines] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 })
  }
}

/** Runs a program in a folder, whose commands come before those of the system. */
export const runProgram = (
  program: string,
  args: readonly string[],
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Ended & { readonly code: number }> => {
  const path = `${folder}:${process.env.PATH}`
  const options = {
    cwd: folder,
    env: { PATH: path, HOME: folder, NO_COLOR: '1', ...env },
    maxBuffer: 1e8,
  }
  return new Promise((resolve) => {
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr })
    })
    child.stdin?.end()
  })
}

/** Runs a script of a shell. */
export const runShell = (
  script: string,
  folder: string,
  env: Readonly<Record<string, string>> = {},
  shell: 'sh' | 'bash' = 'sh',
) => runProgram(shell, ['-c', script], folder, env)
