// The formats that a run can be told in as a file, besides the run file itself.
import type { RunFile } from '../engine/run-file.ts'
import { badge } from './badge.ts'
import { ctrf } from './ctrf.ts'
import { github } from './github.ts'
import { har } from './har.ts'
import { html } from './html.ts'
import { junit } from './junit.ts'
import { markdown } from './markdown.ts'
import type { Source } from './source.ts'
import { inertJson } from './visible.ts'

export interface Format {
  /** Its name in the folder of the run. */
  readonly file: string
  /** The whole file, or its pieces in order where it may be too long to be held. */
  readonly write: (source: Source) => string | Iterable<string>
}

export const formats: Readonly<Record<string, Format>> = {
  html: { file: 'report.html', write: html },
  markdown: { file: 'report.md', write: markdown },
  junit: { file: 'junit.xml', write: ({ run, known }) => junit(run, known) },
  ctrf: { file: 'ctrf.json', write: ctrf },
  github: { file: 'annotations.txt', write: github },
  badge: { file: 'badge.json', write: badge },
  har: { file: 'exchanges.har', write: har },
}

export const printRun = (run: RunFile): string => `${inertJson(run, 2)}\n`
