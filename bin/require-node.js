// Ends the process with one line on how to go on, where Node is too old to run what follows.
import { mistake } from './node-version.js'

if (mistake !== null) {
  console.error(mistake)
  process.exit(2)
}
