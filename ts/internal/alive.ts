/**
 * What keeps the process alive while something of an addon is awaited, and only then: the functions that an addon calls do
 * not.
 */
export class Alive {
  private readonly timer = setInterval(() => undefined, 2 ** 30)
  private awaited = 0

  constructor() {
    this.timer.unref()
  }

  /** Something more is awaited. */
  hold(): void {
    if (this.awaited++ === 0) this.timer.ref()
  }

  /** It has come. */
  release(): void {
    if (--this.awaited === 0) this.timer.unref()
  }

  /** Nothing is awaited any more. */
  close(): void {
    clearInterval(this.timer)
  }
}
