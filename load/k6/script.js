// What each instance of k6 sends, and when. petvet writes its plan in place of the one below.
import { sleep } from 'k6'
import exec from 'k6/execution'
import http from 'k6/http'
import { Counter, Gauge, Rate } from 'k6/metrics'

/** @type {import('./k6-plan.ts').K6Plan} */
const plan = JSON.parse('null')
const [response, marker] = [new Gauge('petvet_judge_response', true), new Gauge('petvet_judge_run')]
const [served, refused] = [new Counter('petvet_served'), new Rate('petvet_refused')]

const executors = {
  rate: ({ perMinute, seconds, vus }) => ({
    executor: 'constant-arrival-rate',
    rate: perMinute,
    timeUnit: '1m',
    duration: `${seconds}s`,
    preAllocatedVUs: vus,
    maxVUs: 10 * vus,
  }),
  step: ({ vus, amount, seconds }) => ({
    executor: 'shared-iterations',
    vus,
    iterations: amount,
    maxDuration: `${seconds}s`,
    gracefulStop: '1s',
  }),
  crowd: ({ vus, seconds }) => ({
    executor: 'per-vu-iterations',
    vus,
    iterations: 1,
    maxDuration: `${seconds}s`,
  }),
}

export const options = {
  discardResponseBodies: false,
  maxRedirects: 0,
  setupTimeout: '24h',
  systemTags: ['scenario', 'status', 'error_code', 'expected_response'],
  summaryTrendStats: ['avg', 'p(50)', 'p(90)', 'p(95)', 'p(99)', 'max', 'count'],
  scenarios: Object.fromEntries(
    plan.phases.map((phase) => [
      phase.name,
      {
        ...(executors[phase.kind] || executors.crowd)(phase),
        startTime: `${phase.startSeconds}s`,
        tags: { load: phase.scenario },
      },
    ]),
  ),
  thresholds: plan.limits,
}

const secret = (name) => {
  if (!__ENV[name]) throw new Error(`${name} is not set: export it first`)
  return __ENV[name]
}

const fraction = (text) => {
  const [above, below = 1] = text.split('/').map(Number)
  return above / below
}

/** Which part of the work is that of this instance. */
const instance = () => {
  const name = exec.test.options.executionSegment || '0:1'
  const [from, to] = name.split(':').map(fraction)
  const count = Math.round(1 / (to - from))
  return { name, index: Math.round(from * count), count }
}

const annotate = (fields) => Object.assign(exec.vu.metrics.metadata, fields)
const forget = (fields) => {
  for (const name of Object.keys(fields)) delete exec.vu.metrics.metadata[name]
}

const sleepUntil = (ms) => {
  for (let left = ms - Date.now(); left > 0; left = ms - Date.now()) sleep(left / 1000)
}

const mark = (kind, fields) => {
  annotate(fields)
  marker.add(1, { kind, instance: instance().name })
  forget(fields)
}

export const setup = () => {
  const { index, count } = instance()
  for (const { variable } of plan.keys) secret(variable)
  const isCrowd = ({ kind }) => kind !== 'rate' && kind !== 'step'
  const small = plan.phases.find((phase) => isCrowd(phase) && phase.vus < count)
  if (small) throw new Error(`${small.name} has connections for ${small.vus} instances`)
  // A window that begins with the minute does not end within a burst.
  const minute = Math.ceil((Date.now() - 5000) / 60000) * 60000 + 5000
  const start = __ENV.PETVET_START ? Date.parse(__ENV.PETVET_START) : minute
  if (Number.isNaN(start)) throw new Error('PETVET_START is no time such as 2026-01-31T12:00:05Z')
  sleepUntil(start)
  served.add(0)
  const [run, started] = [__ENV.PETVET_START || '', Date.now()]
  mark('begin', { plan: JSON.stringify(plan), run, index, count, started })
}

export const teardown = () => mark('end', {})

const url = `${__ENV.PETVET_TARGET || plan.baseUrl}/pets?limit=1`

const headersOf = (label, phase) => {
  const headers = { 'Accept-Encoding': 'identity' }
  for (const { name, value, variable } of plan.headers) {
    headers[name] = variable ? secret(variable) : value
  }
  const [{ variable }] = plan.keys.filter((key) => key.label === label)
  headers.Authorization = `Bearer ${secret(variable)}`
  if (phase.closes) headers.Connection = 'close'
  return headers
}

/** Sends one request, and records what the judge needs of its response. */
const send = (phase, label, part) => {
  const sent = Date.now()
  const { status, headers, body, timings, error_code } = http.get(url, {
    headers: headersOf(label, phase),
    timeout: '10s',
    responseCallback: http.expectedStatuses(...phase.expected),
  })
  const fields = { sent }
  const names = { limit: 'X-Ratelimit-Limit', remaining: 'X-Ratelimit-Remaining' }
  Object.assign(names, { reset: 'X-Ratelimit-Reset', retry: 'Retry-After', date: 'Date' })
  for (const name of Object.keys(names)) {
    const value = headers[names[name]]
    if (value !== undefined) fields[name] = value
  }
  if (status === 0) fields.lost = error_code === 1050 ? 'timeout' : 'reset'
  if (status === 200 && !/^\s*\[/.test(String(body))) fields.body = 'no list'
  annotate(fields)
  const tags = { key: label, part, status: String(status), instance: instance().name }
  response.add(timings.duration, tags)
  forget(fields)
  if (status === 200) served.add(1)
  refused.add(status === 429)
  const waitSeconds = Number(headers['Retry-After'])
  return { status, headers, waitMs: waitSeconds > 0 ? waitSeconds * 1000 : 0 }
}

const share = (amount, nth, of) => Math.floor(amount / of) + (nth < amount % of ? 1 : 0)

/** Which connection this is, of its instance and of all; those beyond as many of each are idle. */
const place = ({ vus }) => {
  const { index, count } = instance()
  const nth = exec.scenario.iterationInInstance
  const each = Math.floor(vus / count)
  const [at, all] = [index * each + nth, each * count]
  return { index, count, nth, each, at, all, isIdle: nth >= each }
}

/** The keys of this connection, and how many requests it sends with each. */
const workOf = (phase) => {
  const { work, alone } = phase
  const { index, count, nth, each, isIdle } = place(phase)
  if (alone) return index + nth > 0 ? [] : work.map((all) => ({ ...all, isFirst: true }))
  if (isIdle) return []
  const apart = __ENV.PETVET_DIVIDE === 'keys' && count > 1
  const mine = apart ? work.filter((_, at) => at % count === index) : work
  const isCrowded = mine.length > each
  const lane = isCrowded ? 0 : Math.floor(nth / mine.length)
  return mine.flatMap(({ label, amount, last }, at) => {
    const isMine = isCrowded ? at % each === nth : nth % mine.length === at
    if (!isMine) return []
    const lanes = isCrowded ? 1 : Math.ceil((each - at) / mine.length)
    const partOf = (all) => share(apart ? all : share(all, index, count), lane, lanes)
    const isFirst = lane === 0 && (apart || index === 0)
    return [{ label, amount: partOf(amount), last: partOf(last), isFirst }]
  })
}

const isShutOut = (status) => status === 401 || status === 403 || status === 429

/** Sends so many with a key; after a refusal no more, unless a ban is permitted. */
const sendAll = (phase, { label, amount }, part) => {
  let last
  for (let sent = 0; sent < amount; sent += 1) {
    last = send(phase, label, part)
    if (isShutOut(last.status) && !plan.allow.includes('ban')) break
  }
  return last
}

/** Two probes of the first connection, then all at once; the last ones at the same moment. */
const burst = (phase) => {
  const zero = exec.scenario.startTime
  const works = workOf(phase)
  for (const afterMs of [500, 4500]) {
    for (const { label, isFirst } of works) {
      if (!isFirst) continue
      sleepUntil(zero + afterMs)
      send(phase, label, 'probe')
    }
  }
  sleepUntil(zero + 5000)
  for (const work of works) sendAll(phase, work, 'burst')
  sleepUntil(zero + 8000)
  for (const { label, last } of works) sendAll(phase, { label, amount: last }, 'burst')
}

const untilResetMs = ({ headers }) => {
  const ms = Number(headers['X-Ratelimit-Reset']) * 1000 - Date.parse(headers.Date)
  return ms > 0 && ms <= 61000 ? ms : 0
}

/** Each connection learns from a probe when the window ends. */
const edge = (phase) => {
  const { label, perMinute, surplus } = phase
  const { at, all, isIdle } = place(phase)
  if (isIdle) return
  const partOf = (amount) => ({ label, amount: share(amount, at, all) })
  sleepUntil(exec.scenario.startTime + 500)
  const probe = send(phase, label, 'probe')
  sleepUntil(Date.now() + Math.max(2000, untilResetMs(probe) - 1400))
  const last = sendAll(phase, partOf(perMinute - all), 'before') || probe
  sleepUntil(Date.now() + untilResetMs(last) + 50)
  sendAll(phase, partOf(perMinute + surplus), 'after')
}

/** Each client waits as its refusal stated, until all of its requests are served. */
const backoff = (phase) => {
  const { index, count } = instance()
  const client = index + count * exec.scenario.iterationInInstance
  if (client >= phase.clients) return
  let misses = 0
  for (let left = share(phase.amount, client, phase.clients); left > 0 && misses < 40; ) {
    const { status, waitMs } = send(phase, phase.label, `client-${client}`)
    if (status === 200) {
      left -= 1
      misses = 0
      continue
    }
    if (!isShutOut(status)) return
    const pauseMs = waitMs || Math.min(64000, 1000 * 2 ** misses)
    if (pauseMs > 150000) return
    misses += 1
    sleep((pauseMs + 50) / 1000)
  }
}

/** One connection obeys with a key of its own; the others send on after refusals. */
const ban = (phase) => {
  const { label } = phase
  const { at, all, isIdle } = place(phase)
  if (isIdle) return
  const zero = exec.scenario.startTime
  const partOf = (amount) => ({ label, amount: share(amount, at - 1, all - 1) })
  if (at === 0) {
    sleepUntil(zero + 5000)
    for (let sent = 0; sent < phase.obeys && Date.now() < zero + 8000; sent += 1) {
      if (send(phase, phase.obeying, 'obey').status !== 200) return
      sleep(0.05)
    }
    return
  }
  for (const afterMs of at === 1 ? [500, 4500] : []) {
    sleepUntil(zero + afterMs)
    send(phase, label, 'hammer')
  }
  sleepUntil(zero + 5000)
  sendAll(phase, partOf(phase.amount), 'hammer')
  for (let wave = 1; wave <= phase.waves; wave += 1) {
    sleepUntil(zero + 5500 + wave * 300)
    sendAll(phase, partOf(phase.each), 'hammer')
  }
  if (at !== 1) return
  sleepUntil(zero + 8000)
  let last = send(phase, label, 'hammer')
  for (let tries = 0; tries < 3 && isShutOut(last.status) && last.waitMs <= 150000; tries += 1) {
    sleep((last.waitMs + 100) / 1000)
    last = send(phase, label, 'try')
  }
}

let quietUntil = 0

/** One request of an executor that keeps its own pace; a refusal is obeyed. */
const single = (phase) => {
  if (Date.now() < quietUntil) return sleep(0.1)
  const { status, waitMs } = send(phase, phase.label, 'pace')
  if (isShutOut(status)) quietUntil = Date.now() + (waitMs || 60000)
}

const programs = { burst, edge, backoff, ban, rate: single, step: single }

export default () => {
  const [phase] = plan.phases.filter(({ name }) => name === exec.scenario.name)
  programs[phase.kind](phase)
}
