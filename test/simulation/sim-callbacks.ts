import type { Clock } from "../../src/platform/clock.js";
import type { Random } from "./random.js";

const LATE_MS_MAX = 90_000;
/** A service is asked so soon after the first call about its task, where nothing holds the question up. */
const ASKED_MS = 10_000;
/** Once a process has had an answer for so long, it has kept it. */
const KEPT_MS = 1000;

/** Hands a call to the process that runs. */
export type Deliver = (service: string, token: string) => void;

/** The calls of services to `/hooks/NAME/TOKEN`: right, early, late, repeated, wrong ones, and none. */
export class SimCallbacks {
  /** Calls that nobody heeded although nothing stood in their way. */
  readonly unheeded: string[] = [];
  /** Tokens of all addresses that were given out. */
  readonly tokens: string[] = [];
  /** Takes a call at the process that runs; undefined while none does. */
  deliver: Deliver | undefined;
  /** Whether nothing has kept the process from asking a service since that moment of the monotonic clock. */
  isQuietSince: (since: number) => boolean = () => false;
  readonly #asked = new Map<string, number>();
  /** Tokens whose calls need no longer be heeded. */
  readonly #called = new Set<string>();

  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /**
   * A service has taken a task with this address, and will call when it has ended, or not. Returns its token.
   * @param sender the process that sent the task; undefined where an answer may be lost
   */
  promise(address: string, endsInMs: number, sender: Deliver | undefined): string {
    const takenAt = this.clock.monotonic();
    let isKept = false;
    this.clock.after(KEPT_MS, () => {
      isKept = sender !== undefined && sender === this.deliver && this.isQuietSince(takenAt);
    });
    const random = this.random;
    const token = new URL(address).pathname.split("/").at(-1) ?? "";
    this.tokens.push(token);
    const late = () => endsInMs + random.integer(1, LATE_MS_MAX);
    const calls = random.weighted([
      [6, () => [endsInMs]],
      [1, () => []],
      // It lies: nothing has ended yet.
      [2, () => [random.integer(0, endsInMs), endsInMs]],
      [2, () => [late()]],
      [2, () => [endsInMs, endsInMs, late(), late(), late()]],
    ] as const)();
    // A late call finds a task that was asked about.
    for (const [place, ms] of calls.entries())
      this.clock.after(ms, () => this.#call(address, isKept && place === 0 && ms === endsInMs));
    return token;
  }

  /** Calls with a token that nobody has, or with one that is not whole. */
  guess(): string {
    const token = this.random.pick(this.tokens) ?? "0".repeat(43);
    const wrong = this.random.pick([token.slice(0, 42), token.toUpperCase(), "../..", `${token.slice(1)}0`]);
    this.deliver?.("fal", wrong);
    return `somebody calls /hooks/fal/${wrong}`;
  }

  /** Calls again for a task of any time. */
  repeat(): string {
    const token = this.random.pick(this.tokens);
    if (token !== undefined) {
      this.#called.add(token);
      this.deliver?.("fal", token);
    }
    return `somebody repeats a call with ${token}`;
  }

  /** The data was lost: the service may know none of the tasks. */
  forget(): void {
    for (const token of this.tokens) this.#called.add(token);
  }

  /** Notes that a task was asked about. */
  noteAsked(token: string): void {
    this.#asked.set(token, this.clock.monotonic());
  }

  #call(address: string, isFirst: boolean): void {
    const [service = "", token = ""] = new URL(address).pathname.split("/").slice(-2);
    const { deliver } = this;
    deliver?.(service, token);
    if (!isFirst || this.#called.has(token) || !deliver) return;
    const at = this.clock.monotonic();
    const set = this.clock.now() - at;
    this.clock.after(ASKED_MS, () => {
      const isHeeded = (this.#asked.get(token) ?? -1) >= at;
      const isSet = this.clock.now() - this.clock.monotonic() !== set;
      if (deliver === this.deliver && this.isQuietSince(at - ASKED_MS) && !isSet && !isHeeded)
        this.unheeded.push(`${service} called about ${token.slice(0, 8)}, and was not asked`);
    });
  }
}
