// The file formats of a run, besides the run file itself; a badge, the smallest one, is made here.

import type { RunFile } from '../engine/check/run-file.ts'
import { github } from './github.ts'
import { html } from './html/page.ts'
import { junit } from './junit.ts'
import { hasNewFailure } from './known-failures.ts'
import { markdown } from './markdown.ts'
import { writeWhole } from './run-folder.ts'
import { countViolatedMusts, type Source, verdictInWords } from './summary.ts'
import { inertJson } from './visible.ts'

/** As the endpoint of shields.io reads it: the verdict, and musts violated or tested. */
const badge = (source: Source): string => {
  const { run } = source
  const [message, color] = messageOf(source)
  const shown = {
    schemaVersion: 1,
    label: `animal store ${run.interface}`,
    message,
    color,
    // Shown in another style: such a run is no statement about the server.
    ...(!hasVerdict(run) && { isError: true }),
  }
  return `${JSON.stringify(shown, null, 2)}\n`
}

const hasVerdict = ({ verdict, interrupted }: RunFile): boolean =>
  !interrupted && (verdict === 'conformant' || verdict === 'not-conformant')

const messageOf = ({ run, known }: Source): readonly [message: string, color: string] => {
  const [tested, all] = run.decided.must
  const musts = `${tested} of ${all} musts tested`
  const verdict = verdictInWords(run)
  const violated = countViolatedMusts(run)
  if (run.interrupted) return ['interrupted', 'lightgrey']
  switch (run.verdict) {
    case 'conformant':
      return [`${verdict} · ${musts}`, 'brightgreen']
    case 'not-conformant':
      if (!hasNewFailure(run, known)) return [`known failures only · ${musts}`, 'orange']
      // It can be not conformant for a stale known failure alone.
      return [violated === 0 ? verdict : `${verdict} · ${violated} of ${all} musts violated`, 'red']
    case 'undecided':
      return [`${verdict} · ${musts}`, 'yellow']
    case 'error':
      return [verdict, 'lightgrey']
  }
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
