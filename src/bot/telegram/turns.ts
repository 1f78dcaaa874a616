/** Calls at once in ordinary times: few connections that are always busy cost less than many. */
export const CALLS_AT_ONCE = 64;
/** A call that has waited this long for its turn waits no more, in ms. */
const PATIENCE_MS = 250;

/** Told whether the call goes in its turn. */
type Begin = (isInTurn: boolean) => void;

interface Waiting {
  since: number;
  begin: Begin;
  state: "waiting" | "in turn" | "out of turn" | "over";
}

/**
 * Lets few calls go at once, each as another ends. One that Telegram leaves without an answer keeps its turn until
 * its deadline: what has waited a moment behind such calls goes out of turn, so that they keep nobody waiting.
 */
export class Turns {
  #taken = 0;
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;

  /**
   * Calls `begin` once a call may go, perhaps at once.
   * @returns what must be called when the call is over, begun or not; again does no harm
   */
  take(begin: Begin): () => void {
    const call: Waiting = { since: 0, begin, state: "waiting" };
    if (this.#taken < CALLS_AT_ONCE) {
      this.#taken += 1;
      go(call, "in turn");
    } else {
      call.since = performance.now();
      this.#waiting.push(call);
      this.#timer ??= setTimeout(() => this.#passImpatient(), PATIENCE_MS);
    }
    return () => {
      const { state } = call;
      call.state = "over";
      if (state === "in turn") this.#passOn();
      else if (state === "waiting") this.#waiting = this.#waiting.filter((other) => other !== call);
    };
  }

  /** Nobody waits any more: to be called when the connections are gone, which each call then hears. */
  close(): void {
    clearTimeout(this.#timer);
    for (const call of this.#waiting.splice(0)) go(call, "out of turn");
  }

  #passOn(): void {
    const next = this.#waiting.shift();
    if (next) go(next, "in turn");
    else this.#taken -= 1;
  }

  #passImpatient(): void {
    const latest = performance.now() - PATIENCE_MS;
    const impatient = this.#waiting.filter(({ since }) => since <= latest);
    this.#waiting = this.#waiting.filter(({ since }) => since > latest);
    this.#timer = this.#waiting.length > 0 ? setTimeout(() => this.#passImpatient(), PATIENCE_MS) : undefined;
    for (const call of impatient) go(call, "out of turn");
  }
}

function go(call: Waiting, state: "in turn" | "out of turn"): void {
  call.state = state;
  call.begin(state === "in turn");
}
