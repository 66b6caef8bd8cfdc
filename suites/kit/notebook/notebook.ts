// The notebook: what runs know of their keys' days, as one text that outlives them.
import { randomBytes, scryptSync } from 'node:crypto'
import { compileSchema } from '../../../spec/schemas.ts'
import { emptyPage, type Page, settlePage } from './notebook-page.ts'
import { notebookSchema } from './notebook-schema.ts'

/** The number of the form; a reader refuses numbers it does not know. */
const form = 1
/** Of more keys than these the one that was used longest ago is forgotten. */
const pagesMost = 50

export interface Notebook {
  /** The page of a key at a target; a new one where there is none. */
  readonly pageOf: (target: string, key: string) => Page
  /** Writes all pages. */
  readonly save: () => void
}

interface Written {
  readonly schema: number
  readonly salt: string
  readonly pages: Page[]
}

const check = compileSchema(notebookSchema)

/** What is no notebook may be anything, so nothing of it is told. */
const jsonIn = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('it is no JSON')
  }
}

/** @throws Error with what is wrong with the text */
const read = (text: string): Written => {
  const value = jsonIn(text)
  const { schema } = Object(value) as { schema?: unknown }
  if (typeof schema === 'number' && schema > form) {
    throw new Error(`its form is number ${schema}, and this petvet knows ${form}`)
  }
  const fault = check(value)
  if (fault !== undefined) throw new Error(fault)
  return value as Written
}

/** So that a notebook tells nobody a key, and two runs know it again; a guess takes long. */
const digestOf = (salt: string, key: string): string =>
  scryptSync(key, Buffer.from(salt, 'hex'), 16).toString('hex')

const lastUsedMs = ({ stretches }: Page) => stretches.at(-1)?.toMs ?? 0

/**
 * @param text what an earlier run wrote; null: nothing
 * @param write told the whole text whenever it is to be kept
 * @throws Error with what is wrong with the text
 */
export const openNotebook = (
  text: string | null,
  nowMs: number,
  write: (text: string) => void,
): Notebook => {
  const { salt, pages }: Omit<Written, 'schema'> =
    text === null ? { salt: randomBytes(16).toString('hex'), pages: [] } : read(text)
  for (const page of pages) settlePage(page, nowMs)

  const pageOf = (target: string, key: string): Page => {
    const digest = digestOf(salt, key)
    const known = pages.find((page) => page.target === target && page.digest === digest)
    const page = known ?? emptyPage(target, digest)
    if (!known) pages.push(page)
    return page
  }

  const save = () => {
    const used = pages.filter(({ stretches, underWay }) => stretches.length + underWay > 0)
    const kept = used.sort((a, b) => lastUsedMs(b) - lastUsedMs(a)).slice(0, pagesMost)
    write(`${JSON.stringify({ schema: form, salt, pages: kept } satisfies Written)}\n`)
  }
  return { pageOf, save }
}
