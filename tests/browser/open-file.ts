// A file opened in the browser as a user does, with all that goes wrong in it.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'

/** A page, and all that went wrong in it: what the console said, errors, and requests. */
export interface Watched {
  readonly page: Page
  readonly faults: readonly string[]
}

/** Opens a file as a user does; gone after the test. */
export const openFile = async (
  browser: Browser,
  file: string,
  options: BrowserContextOptions,
): Promise<Watched> => {
  const context = await browser.newContext(options)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const faults: string[] = []
  page.on('console', (message) => faults.push(`console: ${message.text()}`))
  page.on('pageerror', ({ message }) => faults.push(`error: ${message}`))
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`)
    return dialog.dismiss()
  })
  const own = `file://${file}`
  page.on('request', (request) => {
    const url = request.url()
    if (url.split('#')[0] !== own) faults.push(`request: ${url}`)
  })
  await page.goto(own)
  return { page, faults }
}
