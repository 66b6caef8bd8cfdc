// The door of yargs.
export { type Argv, default as yargs, type InferredOptionTypes, type Options } from 'yargs'
