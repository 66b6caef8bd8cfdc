// The file formats of a run, besides the run file itself; a badge, the smallest one, is made here.

import type { RunFile } from '../engine/check/run-file.ts'
import { github } from './github.ts'
import { html } from './html/page.ts'
import { junit } from './junit.ts'
import { hasNewFailure } from './known-failures.ts'
import { markdown } from './markdown.ts'
import { writeWhole } from './run-folder.ts'
import { countViolatedMusts, type Source, toneOf, verdictInWords } from './summary.ts'
import { inertJson } from './visible.ts'

const colours = {
  pass: 'brightgreen',
  fail: 'red',
  untested: 'yellow',
  error: 'lightgrey',
} as const

/** As the endpoint of shields.io reads it: the verdict, and musts violated or tested. */
const badge = ({ run, known }: Source): string => {
  const [tested, all] = run.decided.must
  const violated = countViolatedMusts(run)
  const isKnown = run.verdict === 'not-conformant' && !hasNewFailure(run, known)
  const words = isKnown ? 'known failures only' : verdictInWords(run)
  // It can be not conformant for a stale known failure alone.
  const isViolated = run.verdict === 'not-conformant' && !isKnown && violated > 0
  const musts = isViolated
    ? `${violated} of ${all} musts violated`
    : `${tested} of ${all} musts tested`
  const hasVerdict = /conformant$/.test(run.verdict) && !run.interrupted
  const shown = {
    schemaVersion: 1,
    label: `animal store ${run.interface}`,
    message: run.interrupted ? 'interrupted' : `${words} · ${musts}`,
    color: run.interrupted ? colours.error : isKnown ? 'orange' : colours[toneOf(run)],
    // Shown in another style: such a run is no statement about the server.
    ...(!hasVerdict && { isError: true }),
  }
  return `${JSON.stringify(shown, null, 2)}\n`
}

export interface Format {
  /** Its name in the folder of the run. */
  readonly file: string
  readonly write: (source: Source) => string
}

export const formats: Readonly<Record<string, Format>> = {
  html: { file: 'report.html', write: html },
  markdown: { file: 'report.md', write: markdown },
  junit: { file: 'junit.xml', write: junit },
  github: { file: 'annotations.txt', write: github },
  badge: { file: 'badge.json', write: badge },
}

/** Writes formats next to the run file. @throws WriteFault */
export const writeFormats = (source: Source, names: readonly string[], folder: string): void => {
  for (const name of names) {
    const format = formats[name]
    if (format) writeWhole(folder, format.file, format.write(source))
  }
}

export const printRun = (run: RunFile): string => inertJson(run)
