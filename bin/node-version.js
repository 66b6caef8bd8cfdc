// Whether this Node can run petvet, and one line that says what to install if it is too old.
// Syntax and imports in this folder stay those of Node 14, or the line would never be reached.

const oldest = [22, 19]
const [major, minor] = process.versions.node.split('.').map(Number)
const isTooOld = major < oldest[0] || (major === oldest[0] && minor < oldest[1])

/** Null where it can. */
export const mistake = isTooOld
  ? `petvet needs Node ${oldest.join('.')} or newer and this is ${process.versions.node}: ` +
    'install one from https://nodejs.org; in a checkout, run `npm ci` (which brings its own) ' +
    'and then `npx petvet ...`.'
  : null
