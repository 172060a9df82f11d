/** Delays the answers of commands, by a time or until a test releases them. */
export class Waits<Name extends string> {
  private readonly delays = new Map<Name, number>();
  /** Number of calls that are being answered and are not held. */
  private running = 0;
  private readonly holds = new Map<Name, { passing: number; released: Promise<void> }>();

  /** Delays each answer of a command from now on. */
  delay(name: Name, milliseconds: number): void {
    this.delays.set(name, milliseconds);
  }

  /** Holds calls of a command, except for the first `passing`, until the returned function is called. */
  hold(name: Name, passing = 0): () => void {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.holds.set(name, { passing, released });
    return () => {
      this.holds.delete(name);
      release();
    };
  }

  async pass(name: Name): Promise<void> {
    const hold = this.holds.get(name);
    if (hold && (hold.passing -= 1) < 0) await hold.released;
    await this.during(() => new Promise((resolve) => setTimeout(resolve, this.delays.get(name) ?? 0)));
  }

  /** Counts as a running call until the work is done. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.running += 1;
    try {
      return await work();
    } finally {
      this.running -= 1;
    }
  }

  /** Resolves once no call has run for two frames, so that nothing follows from the last answer or event. */
  async idle(): Promise<void> {
    for (let quiet = 0; quiet < 2; quiet = this.running === 0 ? quiet + 1 : 0) {
      await new Promise(requestAnimationFrame);
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  }
}
