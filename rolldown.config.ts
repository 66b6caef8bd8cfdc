// The build of the package: few files for Node 22, next to their declarations and data.
import { cpSync, globSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { defineConfig, type Plugin } from 'rolldown'

const root = import.meta.dirname
const out = join(root, 'dist')

/** Files that are read at run time, or that `exports` names. */
const data = [
  'config/config.schema.json',
  'cli/explain/explained.schema.json',
  'load/locust/README.md',
  'cli/init',
  'load/locust/locustfile.py',
  'load/locust/requirements.txt',
  'load/thresholds.schema.json',
  'reports/html/page-script.js',
  'reports/html/style',
  'reports/run.schema.json',
  'spec/openapi.yaml',
]

/** A source finds the files next to it from its place in the folders, and not from its chunk. */
const places: Plugin = {
  name: 'places',
  transform: {
    filter: { code: 'import.meta.url' },
    handler: (code, id) => {
      const place = JSON.stringify(relative(root, id).replace(/\.ts$/, '.js'))
      return code.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`)
    },
  },
}

const declarationsFrom = (path: string, found: Set<string>): Set<string> => {
  if (found.has(path)) return found
  found.add(path)
  for (const [, to = ''] of readFileSync(path, 'utf8').matchAll(/['"](\.[^'"]+)\.[tj]s['"]/g)) {
    declarationsFrom(`${join(dirname(path), to)}.d.ts`, found)
  }
  return found
}

/** Of the declarations of all sources those stay that a program can reach. */
const declarations = (): void => {
  const kept = new Set<string>()
  for (const entry of ['index', 'vitest']) declarationsFrom(join(out, `${entry}.d.ts`), kept)
  for (const path of globSync(join(out, '**/*.d.ts'))) if (!kept.has(path)) rmSync(path)
}

const files: Plugin = {
  name: 'files',
  writeBundle: () => {
    for (const path of data) cpSync(join(root, path), join(out, path), { recursive: true })
    declarations()
  },
}

export default defineConfig({
  input: {
    main: 'cli/main.ts',
    index: 'index.ts',
    vitest: 'vitest.ts',
    worker: 'proof/worker.ts',
  },
  platform: 'node',
  external: /^(?!@oxc-project)[^./\0]/,
  output: {
    dir: out,
    chunkFileNames: '[name].js',
    comments: false,
    // Node prints the name of the class of an error.
    minify: { mangle: { keepNames: { class: true, function: false } } },
  },
  plugins: [places, files],
})
