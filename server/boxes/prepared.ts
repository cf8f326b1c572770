/** An answer that many boxes get, in its envelope as it is sent. Its type was checked when it was made. */
export class Prepared {
  readonly json: Buffer

  constructor(json: Buffer) {
    this.json = json
  }
}
