// `petvet completion`: a script that lets a shell complete commands, flags and their values.
import { command } from '../command.ts'
import { shells } from '../completion/scripts.ts'

export const completion = command({
  usage: 'completion <shell>',
  says: 'print a script that lets a shell complete commands, flags and values',
  positions: ['shell'],
  options: {
    shell: { choices: shells, demandOption: true, describe: 'bash, zsh or fish' },
  },
  run: async ({ shell }) => {
    const { scriptOf } = await import('../completion/scripts.ts')
    process.stdout.write(scriptOf[shell])
    return 0
  },
})
