// The servers behind the addresses on the pages while their commands run: references on loopback.
import { mutants } from '../../reference/mutants.ts'
import type { Reference } from '../../reference/start.ts'
import { createPet } from '../../suites/requests.ts'
import { serveReference } from '../serve-reference.ts'

/** The variables that the pages read, and the keys that the server takes. */
export const environment = {
  FREE_KEY: 'a-free-key-of-the-pages',
  PRO_KEY: 'a-pro-key-of-the-pages',
} as const

const plans = { FREE_KEY: 'free', PRO_KEY: 'pro' } as const

/** The target of a page that does not start one itself. */
interface Stage {
  readonly mutant: string
  readonly pets: number
}

export const stages: Readonly<Record<string, Stage>> = {
  'docs/qa.md': { mutant: 'auth-after-limit-zero', pets: 9 },
  'docs/ci.md': { mutant: 'list-limit-one-more', pets: 0 },
}

const stock = async ({ url }: Reference, pets: number): Promise<void> => {
  const statuses = ['available', 'pending', 'sold']
  for (let at = 0; at < pets; at += 1) {
    const status = statuses[at % statuses.length] ?? 'sold'
    const { body } = createPet({ name: `Rex ${at}`, categoryId: 1n, status })
    await fetch(`${url}/pets`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${environment.FREE_KEY}`,
        'Content-Type': 'application/json',
      },
      body: body as string,
    })
  }
}

/** A new server for each command, because a run leaves its clock past the removal. */
export const openStage = async ({ mutant, pets }: Stage): Promise<Reference> => {
  const variant = mutants.find(({ id }) => id === mutant)
  if (!variant) throw new Error(`unknown mutant ${mutant}`)
  const server = await serveReference({
    keys: Object.entries(environment).map(([name, key]) => ({
      plan: plans[name as keyof typeof plans],
      key,
    })),
    clockPort: 0,
    variant,
  })
  await stock(server, pets)
  return server
}

const staging = 'https://staging.example.com/v1'

/** A whole run takes seconds, and prints the same words as a part of it. */
const narrow = (command: string): string =>
  /^petvet check http:\/\/127/.test(command) && !/--(?:only|bail)/.test(command)
    ? `${command} --only list`
    : command

/** The addresses of a page in those of the server, and back again in what is printed. */
export const translation = (command: string, { url, clockUrl = '' }: Reference) => {
  const isElsewhere = command.includes(staging)
  const clock = new URL(clockUrl || url)
  const shown = command
    .replaceAll(staging, url)
    .replaceAll('127.0.0.1:8080', new URL(url).host)
    .replaceAll('127.0.0.1:8081', clock.host)
  return {
    // On loopback more is allowed by default than at the address on the page.
    command: isElsewhere && !command.includes('--allow') ? `${shown} --allow none` : narrow(shown),
    back: (text: string) =>
      (isElsewhere ? text.replaceAll(url, staging).replaceAll(' --allow none', '') : text)
        .replaceAll(new URL(url).host, '127.0.0.1:8080')
        .replaceAll(clock.host, '127.0.0.1:8081'),
  }
}
