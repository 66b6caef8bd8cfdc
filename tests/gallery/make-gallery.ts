// Makes the pictures of the pages from real runs of a faulty server and of the reference: the
// terminal as SVG, and HTML reports in a browser. `npm run gallery`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { lacksChromium, startChromium } from '../browser/chromium.ts'
import { root } from '../layout/sources.ts'
import { terminalPicture } from './terminal-picture.ts'

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
  { name: 'failure', run: 'faulty', scheme: 'dark', width: 1_180, height: 860, from: '#failures' },
  {
    name: 'silence',
    run: 'reference',
    scheme: 'dark',
    width: 1_180,
    height: 820,
    from: '#observations',
  },
]

/** The command, as it is run by hand; its messages go where this one's go. */
const petvet = (args: readonly string[], cwd: string) =>
  spawn(process.execPath, [join(root, 'bin/petvet.js'), ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  })

/** @returns what the run prints on standard output */
const runOf = async (folder: string, args: readonly string[], out?: string): Promise<string> => {
  const place = out === undefined ? [] : ['--out', out]
  const run = petvet([...args, '--seed', '7', ...place, '--report', 'html'], folder)
  let printed = ''
  run.stdout.on('data', (chunk) => {
    printed += chunk
  })
  const [code] = await once(run, 'close')
  // A faulty server is what is to be shown.
  if (code !== 0 && code !== 1) throw new Error(`petvet ${args[0]} ended with ${code}`)
  return printed
}

/** Starts a server with one fault, and runs the checks on it. */
const checkFaulty = async (
  folder: string,
  mutant: string,
  keys: readonly string[],
  args: readonly string[],
  out?: string,
): Promise<string> => {
  const flags = ['--port', '0', '--clock', '0', '--keys', keys.join(',')]
  const server = petvet(['serve', ...flags, '--mutant', mutant], folder)
  try {
    let printed = ''
    for await (const chunk of server.stdout) {
      printed += chunk
      if (printed.split('\n').length > 3 + keys.length) break
    }
    const address = (what: string) => new RegExp(`${what} (\\S+)`).exec(printed)?.[1] ?? ''
    const given = keys.flatMap((key) => ['--key', key])
    const target = [address('api'), ...given, '--clock', address('clock'), ...args]
    const text = await runOf(folder, ['check', ...target], out)
    return text
      .replaceAll(new URL(address('api')).host, '127.0.0.1:8080')
      .replaceAll(new URL(address('clock')).host, '127.0.0.1:8081')
      .replaceAll(folder, '/home/you/animals')
  } finally {
    server.kill()
  }
}

/** The run of the README, as its reader sees it. */
const takeTerminal = async (folder: string): Promise<string> => {
  process.env.FREE_KEY = 'free-gallery-1'
  const text = await checkFaulty(folder, 'created-200', ['free=$FREE_KEY'], ['--bail'])
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const [command = ''] = /^npx petvet check .*$/m.exec(readme) ?? []
  const broken = command.replace(' --clock', ' \\\n    --clock')
  writeFileSync(join(pictures, 'terminal.svg'), terminalPicture(`$ ${broken}\n${text}`))
  return 'docs/gallery/terminal.svg'
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

const folder = mkdtempSync(join(tmpdir(), 'petvet-gallery-'))
mkdirSync(pictures, { recursive: true })
try {
  console.log(await takeTerminal(folder))
  if (lacksChromium) throw new Error('no Chromium is here: apt-get install chromium')
  await runOf(folder, ['demo'], join(folder, 'reference'))
  const keys = ['free=free-gallery-1', 'free=free-gallery-2', 'pro=pro-gallery-1']
  await checkFaulty(folder, 'list-limit-one-more', keys, [], join(folder, 'faulty'))
  const browser = await startChromium()
  for (const picture of wanted) console.log(await take(browser, folder, picture))
  await browser.close()
} finally {
  rmSync(folder, { recursive: true })
}
