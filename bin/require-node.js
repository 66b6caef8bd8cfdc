// Ends the process with one line that says what to install, if Node is too old.
import { mistake } from './node-version.js'

if (mistake !== null) {
  console.error(mistake)
  process.exit(2)
}
