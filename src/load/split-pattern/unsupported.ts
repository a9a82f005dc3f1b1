/** A construct that has no exact equal here. `compileSplitPattern` tells its caller. */
export class UnsupportedConstruct extends Error {
  readonly construct: string

  constructor(construct: string, message: string) {
    super(message)
    this.construct = construct
  }
}

export function unsupportedConstruct(construct: string, message = 'is not supported'): never {
  throw new UnsupportedConstruct(construct, message)
}
