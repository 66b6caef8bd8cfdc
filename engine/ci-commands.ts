// Commands that runners of GitHub and Azure obey anywhere in a line that a job prints: `##[...]`
// and `##vso[...]`. A target could mask the log with them, or set outputs of the job.

const commands = /##(?=\w*\[)/g

/** How the second `#` of a command is spelt, so that no runner obeys it. */
const spelt = { text: '\\u{23}', json: '\\u0023', html: '&#35;' } as const

/** @param form JSON and HTML say the same afterwards */
export const withoutCommands = (text: string, form: keyof typeof spelt = 'text'): string =>
  text.replace(commands, `#${spelt[form]}`)
