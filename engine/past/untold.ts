// Thrown where code that is told again asks for what no record holds: the run was broken off there.

export class Untold extends Error {
  constructor() {
    super('the record of the run ends here')
    this.name = 'Untold'
  }
}
