// Makes the pictures of the README: a real run of a faulty server and one of the reference,
// as HTML reports, photographed. `npm run gallery`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { lacksChromium, startChromium } from '../browser/chromium.ts'
import { root } from '../layout/sources.ts'

const pictures = join(root, 'docs/gallery')
const longestBytes = 200_000

interface Picture {
  readonly name: string
  readonly run: 'faulty' | 'reference'
  readonly scheme: 'light' | 'dark'
  readonly width: number
  readonly height: number
  /** What is at the top; null: the page as it opens. */
  readonly from: string | null
}

const wanted: readonly Picture[] = [
  { name: 'verdict', run: 'faulty', scheme: 'light', width: 1_180, height: 900, from: null },
  { name: 'failure', run: 'faulty', scheme: 'dark', width: 1_180, height: 860, from: '#failures' },
  {
    name: 'limiter',
    run: 'reference',
    scheme: 'light',
    width: 1_180,
    height: 820,
    from: '#limiter',
  },
  {
    name: 'silence',
    run: 'reference',
    scheme: 'dark',
    width: 1_180,
    height: 820,
    from: '#observations',
  },
  { name: 'narrow', run: 'faulty', scheme: 'light', width: 390, height: 844, from: null },
]

/** The command, as it is run by hand; its messages go where this one's go. */
const petvet = (args: readonly string[], cwd: string) =>
  spawn(process.execPath, [join(root, 'bin/petvet.js'), ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  })

const check = async (folder: string, args: readonly string[], out: string): Promise<void> => {
  const own = ['--no-config', '--seed', '7', '--out', out, '--report', 'html', '--quiet']
  const [code] = await once(petvet(['check', ...args, ...own], folder), 'close')
  // A faulty server is what is to be shown.
  if (code !== 0 && code !== 1) throw new Error(`petvet check ended with ${code}`)
}

/** A server with one fault, and a run of it. */
const checkFaulty = async (folder: string, out: string): Promise<void> => {
  const keys = ['free=free-gallery-1', 'free=free-gallery-2', 'pro=pro-gallery-1']
  const flags = ['--port', '0', '--clock', '0', '--keys', keys.join(',')]
  const server = petvet(['serve', ...flags, '--mutant', 'list-limit-one-more'], folder)
  try {
    let printed = ''
    for await (const chunk of server.stdout) {
      printed += chunk
      if (/key pro .*\n/.test(printed)) break
    }
    const address = (what: string) => new RegExp(`${what} (\\S+)`).exec(printed)?.[1] ?? ''
    const given = keys.flatMap((key) => ['--key', key])
    await check(folder, [address('api'), ...given, '--clock', address('clock')], out)
  } finally {
    server.kill()
  }
}

const take = async (browser: Browser, folder: string, picture: Picture): Promise<string> => {
  const { name, run, scheme, width, height, from } = picture
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: scheme })
  await page.goto(`file://${join(folder, run, 'report.html')}`)
  if (from !== null) {
    await page.evaluate(
      `document.querySelector('nav').hidden = true
       document.documentElement.style.scrollPaddingTop = '0'
       document.querySelector('${from}').scrollIntoView()`,
    )
  }
  const path = join(pictures, `${name}.png`)
  await page.screenshot({ path })
  await page.close()
  const { size } = statSync(path)
  if (size > longestBytes) throw new Error(`${path} has ${size} bytes, more than ${longestBytes}`)
  return `docs/gallery/${name}.png  ${Math.round(size / 1_000)} kB`
}

if (lacksChromium) throw new Error('no Chromium is here: apt-get install chromium')
const folder = mkdtempSync(join(tmpdir(), 'petvet-gallery-'))
mkdirSync(pictures, { recursive: true })
try {
  await check(folder, [], join(folder, 'reference'))
  await checkFaulty(folder, join(folder, 'faulty'))
  const browser = await startChromium()
  for (const picture of wanted) console.log(await take(browser, folder, picture))
  await browser.close()
} finally {
  rmSync(folder, { recursive: true })
}
