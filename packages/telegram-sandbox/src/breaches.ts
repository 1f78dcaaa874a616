/**
 * What broke the schema: a request of the bot, or something that the sandbox made itself. A breach is
 * no error of the API, since the real server ignores most of them; it fails the test instead.
 */
export class Breaches {
  readonly list: string[] = [];
  #reported = 0;

  constructor(private readonly onBreach: (breach: string) => void) {}

  add(breach: string): void {
    this.list.push(breach);
    this.onBreach(breach);
  }

  /** Takes the breaches that a test caused on purpose, so that nothing fails for them. */
  take(): string[] {
    this.#reported = 0;
    return this.list.splice(0);
  }

  /** @throws Error listing every breach */
  assertNone(): void {
    this.#reported = this.list.length;
    if (this.list.length === 0) return;
    throw new Error(`${this.list.length} breaches of the Bot API schema:\n${this.list.join("\n")}`);
  }

  /** @throws Error when there are breaches that nobody took or reported */
  assertReported(): void {
    if (this.list.length > this.#reported) this.assertNone();
  }
}
