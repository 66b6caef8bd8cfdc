// A real browser for the tests and the gallery, where there is one; the tests say so if not.
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const places = [
  process.env.PETVET_CHROMIUM ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

const program = places.find((place) => place !== '' && existsSync(place))

export const lacksChromium = program === undefined

/** Part of the name of a group, so that a skipped one says why. */
export const reasonToSkip = lacksChromium
  ? ': no Chromium is here (apt-get install chromium, or PETVET_CHROMIUM=/path/to/it)'
  : ''

/** Its sandbox does not start for root. */
const flags = process.getuid?.() === 0 ? ['--no-sandbox'] : []

export const startChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: program ?? '', args: flags, timeout: 20_000 })
