// The pages for readers: their text, their blocks, and the commands that they show.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root, textOf } from '../layout/sources.ts'

const ofRoot = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md']
const pagesIn = (folder: string): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
    .sort()

/** By their path from the root. */
export const pageNames = [...ofRoot, ...pagesIn('docs'), ...pagesIn('docs/internals')]

interface Block {
  /** What follows the fence: `sh`, `yaml`, `ts vet.ts`, or nothing. */
  readonly info: string
  readonly text: string
  /** Where it begins in the page. */
  readonly at: number
}

const blocksOf = (text: string): Block[] =>
  [...text.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)].map(({ 1: info, 2: body, index }) => ({
    info: info ?? '',
    text: body ?? '',
    at: index,
  }))

/** The text without its blocks, in which there are neither links nor described flags. */
export const proseOf = (page: string): string =>
  textOf(page).replace(/^```[^\n]*\n[\s\S]*?^```$/gm, '')

export interface Shown {
  readonly page: string
  readonly command: string
  /** What the page shows as its output, where it does. */
  readonly output: string | null
}

/** Between a command and its output there is at most a word or two. */
const nearby = 40

/** The commands of petvet that a page shows, in their order. */
export const shownOn = (page: string): Shown[] => {
  const text = textOf(page)
  const blocks = blocksOf(text)
  return blocks.flatMap((block, place) => {
    if (block.info !== 'sh') return []
    const next = blocks[place + 1]
    const gap = next ? next.at - block.at - block.text.length : Number.POSITIVE_INFINITY
    const output = next?.info === '' && gap < nearby ? next.text : null
    const commands = block.text
      .split('\n')
      .map((line) => line.replace(/ +#.*$/, '').replace(/^npx petvet /, 'petvet '))
      .filter((line) => line.startsWith('petvet '))
    return commands.map((command, at) => ({
      page,
      command,
      output: at === commands.length - 1 ? output : null,
    }))
  })
}

/** Files that a page shows whole: `# known.txt: ...` names one in its first line. */
export const filesOn = (page: string): readonly (readonly [name: string, text: string])[] =>
  blocksOf(textOf(page)).flatMap(({ text }) => {
    const name = /^# ([\w-]+\.(?:txt|yaml))\b/.exec(text)?.[1]
    return name === undefined ? [] : [[name, text] as const]
  })
