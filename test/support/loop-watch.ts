/** Notes the longest hold of this thread in the processor's time: what other processes take does not count. */
export class LoopWatch {
  #last = cpuMs();
  #longest = 0;
  #isOver = false;

  constructor() {
    this.#look();
  }

  end(): number {
    this.#isOver = true;
    return this.#longest;
  }

  #look(): void {
    if (this.#isOver) return;
    this.#longest = Math.max(this.#longest, cpuMs() - this.#last);
    this.#last = cpuMs();
    setImmediate(() => this.#look());
  }
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
