// Ends the process with one line on how to go on, where Node is too old to run what follows.
// Syntax and imports in this folder stay those of Node 12, or the line would never be reached.

const oldest = [24, 18]
const [major, minor] = process.versions.node.split('.').map(Number)

if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  console.error(
    `petvet needs Node ${oldest.join('.')} or newer and this is ${process.versions.node}: ` +
      'install one from https://nodejs.org; in a checkout, run `npm ci` (which brings its own) ' +
      'and then `npm run petvet -- ...`.',
  )
  process.exit(2)
}
