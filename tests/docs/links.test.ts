// Every link works: each file and each heading that a page links to exists.
import { existsSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { root, textOf } from '../layout/sources.ts'
import { pageNames, proseOf } from './pages.ts'

/** As GitHub names a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

const anchorsOf = (page: string): string[] =>
  [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))

const linksOf = (page: string): string[] =>
  [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^https?:/.test(link))

const isDead = (page: string) => (link: string) => {
  const [path = '', anchor] = link.split('#')
  const file = path === '' ? page : normalize(join(dirname(page), path))
  if (!existsSync(join(root, file))) return true
  return anchor !== undefined && !anchorsOf(file).includes(anchor)
}

test.for(pageNames)('every link of %s leads somewhere', (page) => {
  expect(linksOf(page).filter(isDead(page))).toEqual([])
})

test('the index names every page', () => {
  const readme = textOf('README.md')
  const pages = pageNames.filter((page) => page !== 'README.md')
  expect(pages.filter((page) => !readme.includes(`](${page}`))).toEqual([])
})
