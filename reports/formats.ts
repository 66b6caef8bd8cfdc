// The file formats of a run, besides the run file itself.
import type { RunFile } from '../engine/check/run-file.ts'
import { badge } from './badge.ts'
import { ctrf } from './ctrf.ts'
import { github } from './github.ts'
import { html } from './html/page.ts'
import { junit } from './junit.ts'
import { markdown } from './markdown.ts'
import { writeWhole } from './run-folder.ts'
import type { Source } from './summary.ts'
import { inertJson } from './visible.ts'

export interface Format {
  /** Its name in the folder of the run. */
  readonly file: string
  readonly write: (source: Source) => string
}

export const formats: Readonly<Record<string, Format>> = {
  html: { file: 'report.html', write: html },
  markdown: { file: 'report.md', write: markdown },
  junit: { file: 'junit.xml', write: junit },
  ctrf: { file: 'ctrf.json', write: ctrf },
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
