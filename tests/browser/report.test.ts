// The HTML report in a real browser: opened from a file, used with mouse and keyboard, printed.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { html } from '../../reports/html/page.ts'
import { nothingKnown } from '../../reports/known-failures.ts'
import { readRun } from '../../reports/read-run.ts'
import { root } from '../layout/sources.ts'
import { isProof } from '../sample.ts'
import { lacksChromium, reasonToSkip, startChromium } from './chromium.ts'
import { hostileRun } from './hostile-run.ts'

/** A browser takes its time where the machine is busy. */
const slow = { timeout: 30_000 }
const wide = { viewport: { width: 1_200, height: 900 } }

/** What runs in the page is text: it knows a document, which these files do not. */
const evaluate = <T>(page: Page, script: string): Promise<T> => page.evaluate(script)

const unfold = 'for (const each of document.querySelectorAll("details")) each.open = true'

/**
 * Opens a file as a user does; gone after the test.
 * @returns the page, and what went wrong in it: what the console said, errors, and requests
 */
const openFile = async (browser: Browser, file: string, options: BrowserContextOptions) => {
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

interface Fault {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string }[]
}

/** @param options what axe is to look at, as it is written there */
const faultsOfAccess = async (page: Page, options: string): Promise<string[]> => {
  await evaluate(page, axe.source)
  const run = `axe.run(${options}).then(({ violations }) => violations)`
  const faults = await evaluate<Fault[]>(page, run)
  return faults.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0]?.html.slice(0, 200)}`)
}

if (lacksChromium) console.warn(`Left out: the report in a browser${reasonToSkip}`)

describe.skipIf(lacksChromium)(`the report in a browser${reasonToSkip}`, slow, () => {
  const folder = mkdtempSync(join(tmpdir(), 'petvet-browser-'))
  const file = join(folder, 'report.html')
  let browser: Browser

  beforeAll(async () => {
    const run = hostileRun(readRun(join(root, 'reports/samples')))
    writeFileSync(file, html({ run, known: nothingKnown }))
    browser = await startChromium()
  }, 30_000)

  afterAll(async () => {
    await browser?.close()
    rmSync(folder, { recursive: true })
  })

  test('opens without an error or a request, and nothing of the target acts', async () => {
    const { page, faults } = await openFile(browser, file, wide)
    for (const each of await page.locator('.card .actual:visible').all()) await each.hover()
    await page.waitForLoadState('networkidle')
    expect(faults).toEqual([])
    expect(page.url()).toBe(`file://${file}`)
    const foreign = 'img, iframe, base, link, object, [onload], [onerror], [onmouseover], [style]'
    expect(await page.locator(foreign).count()).toBe(0)
    expect(await page.locator('script').count()).toBe(1)
    expect(await page.locator('style').count()).toBe(1)
    expect(await page.locator('main').isVisible()).toBe(true)
    const card = await page.locator('.card').first().innerText()
    expect(card).toContain('<script>alert(1)</script>')
    expect(card).toContain('1,046,576 of 1,048,576 characters are left out')
  })

  test('would let no script or request in, if one were there', async () => {
    const { page, faults } = await openFile(browser, file, wide)
    await evaluate(
      page,
      `document.body.insertAdjacentHTML('beforeend', '<img src="http://127.0.0.1:9/x.png">');
       document.body.append(Object.assign(document.createElement('script'), { text: 'hit = 1' }));
       0`,
    )
    await expect.poll(() => faults.length).toBeGreaterThan(1)
    expect(await evaluate(page, 'typeof hit')).toBe('undefined')
    expect(faults.join('\n')).toMatch(/violates the following Content Security Policy/)
  })

  test('filters by outcome, level and words, with the keyboard alone', async () => {
    const { page, faults } = await openFile(browser, file, wide)
    const shown = () => page.locator('[data-row]:visible').count()
    const shownCount = () => page.locator('[data-shown]').innerText()
    // Sections in which nothing failed are folded, and unfolded where a filter finds something.
    const [all, unfolded] = [await page.locator('[data-row]').count(), await shown()]
    expect(unfolded).toBeLessThan(all)
    await page.locator('input[value=fail]').focus()
    await page.keyboard.press('Space')
    expect([await shown(), await shownCount()]).toEqual([1, `1 of ${all} requirements`])
    await page.locator('input[value=should]').focus()
    await page.keyboard.press('Space')
    expect(await shown()).toBe(0)
    expect(await page.getByText('No requirement matches').isVisible()).toBe(true)
    await page.getByRole('button', { name: 'Show all' }).press('Enter')
    await expect.poll(shown).toBe(unfolded)
    await page.locator('input[type=search]').pressSequentially('list-SUCCESS')
    expect([await shown(), await shownCount()]).toEqual([1, `1 of ${all} requirements`])
    await page.keyboard.press('Enter')
    expect(faults).toEqual([])
  })

  test.runIf(isProof)('takes the keyboard past the navigation, and to a failure', async () => {
    const { page } = await openFile(browser, file, wide)
    await page.keyboard.press('Tab')
    expect(await evaluate(page, 'document.activeElement.textContent')).toBe('Skip to the report')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await evaluate(page, 'document.activeElement.closest(".failed") !== null')).toBe(true)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toContain('#check-')
    const target = page.locator(':target')
    expect(await target.locator('.card-body').isVisible()).toBe(true)
    await expect.poll(async () => (await target.boundingBox())?.y ?? 1_000).toBeLessThan(200)
  })

  test.runIf(isProof)('copies a line verbatim', async () => {
    const permissions = ['clipboard-read', 'clipboard-write']
    const { page, faults } = await openFile(browser, file, { ...wide, permissions })
    const command = page.locator('.command').filter({ hasText: 'command to reproduce' }).first()
    await command.getByRole('button').click()
    await expect.poll(() => command.getByRole('button').innerText()).toBe('Copied')
    const copied = await evaluate(page, 'navigator.clipboard.readText()')
    expect(copied).toMatch(/^petvet check http:\S+ --key 'free=\$FREE_KEY' .*--only \S+ --seed 7$/)
    expect(copied).toBe(await command.locator('code').innerText())
    expect(faults).toEqual([])
  })

  test.runIf(isProof).for([
    ['light', '{}'],
    // Nothing but colours differs.
    ['dark', '{ runOnly: ["color-contrast"] }'],
  ] as const)('has no fault of access in %s', async ([colorScheme, options]) => {
    const { page } = await openFile(browser, file, { ...wide, colorScheme })
    await evaluate(page, unfold)
    expect(await faultsOfAccess(page, options)).toEqual([])
  })

  test.for(isProof ? [320, 390, 1_600] : [320])('fits a screen %d wide', async (width) => {
    const { page } = await openFile(browser, file, { viewport: { width, height: 800 } })
    await evaluate(page, unfold)
    expect(await evaluate(page, 'document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    // No part of the report is out of sight in its navigation.
    const cut = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)`
    expect(await evaluate(page, `${cut}(document.querySelector('nav ul'))`)).toBeLessThanOrEqual(0)
  })

  test('has what failed on the first screen, also of a telephone', async () => {
    for (const viewport of [wide.viewport, { width: 390, height: 844 }]) {
      const { page } = await openFile(browser, file, { viewport })
      const box = await page.locator('.failed li a').first().boundingBox()
      expect((box?.y ?? viewport.height) + (box?.height ?? 0)).toBeLessThan(viewport.height)
    }
  })

  test('has no outcome in a pill that runs into the sentence next to it', async () => {
    const { page } = await openFile(browser, file, wide)
    await evaluate(page, unfold)
    const ends = `(row) => row.querySelector(".badge").getBoundingClientRect().right
      <= row.querySelector(".says").getBoundingClientRect().left`
    const rows = '[...document.querySelectorAll(".row summary")]'
    const words = `${rows}.map((row) => row.querySelector(".badge").textContent.trim())`
    expect(await evaluate(page, words)).toContain('Not applicable')
    expect(await evaluate(page, `${rows}.every(${ends})`)).toBe(true)
  })

  test.runIf(isProof)('prints what matters, unfolded, without what is to be pressed', async () => {
    const { page } = await openFile(browser, file, { ...wide, colorScheme: 'dark' })
    await page.emulateMedia({ media: 'print' })
    for (const pressed of ['nav', '.filters', '.card button']) {
      expect(await page.locator(pressed).first().isVisible()).toBe(false)
    }
    expect(await page.locator('h1').isVisible()).toBe(true)
    // Light, however the screen is.
    const ink = await evaluate(page, 'getComputedStyle(document.documentElement).color')
    expect(ink).toBe('rgb(27, 32, 36)')
    await evaluate(page, 'dispatchEvent(new Event("beforeprint"))')
    expect(await page.locator('.card details:not([open])').count()).toBe(0)
    await evaluate(page, 'dispatchEvent(new Event("afterprint"))')
    expect((await page.pdf()).subarray(0, 5).toString()).toBe('%PDF-')
  })

  test('is all there to read without a script', async () => {
    const { page, faults } = await openFile(browser, file, { ...wide, javaScriptEnabled: false })
    expect(await page.locator('.filters').isVisible()).toBe(false)
    expect(await page.locator('[data-copy]').first().isVisible()).toBe(false)
    expect(await page.locator('.card pre').first().isVisible()).toBe(true)
    expect(faults).toEqual([])
  })
})
