import type { Json } from "./params.js";

/** An error that is answered as it is. */
export interface OrderedError {
  code: number;
  description: string;
}

/**
 * What goes wrong. `when: "after"` does the work first, so that the client cannot know whether its
 * request was accepted. `partial` sends the first `sent` items of an album and then answers the error.
 * `cut` closes the connection as soon as more than `afterBytes` of a request's body have come, as
 * Telegram's front does with uploads that are too large; it strikes before the parameters are known, so
 * `chat` and `matches` are not looked at, and smaller requests pass.
 */
export type FaultAnswer =
  | { type: "429"; retryAfter: number }
  | ({ type: "status"; when?: "before" | "after" } & OrderedError)
  | ({ type: "partial"; sent: number } & OrderedError)
  | { type: "cut"; afterBytes: number }
  | { type: "reset"; when?: "before" | "after" }
  | { type: "hang"; when?: "before" | "after" };

export interface FaultCall {
  method: string;
  params: Json;
}

export interface FaultOrder {
  /** The method it strikes; every method without it. */
  method?: string;
  /** The chat it strikes, by `chat_id`. */
  chat?: number | string;
  matches?: (call: FaultCall) => boolean;
  /** How many calls it strikes: 1 by default, `Infinity` for all. */
  times?: number;
  answer: FaultAnswer;
}

/** An order of a cut that stands for a method. */
export interface UploadCut {
  afterBytes: number;
  /** Counts as struck. */
  strike(): void;
}

/** An order that was placed. */
export interface Fault {
  /** How many calls it struck. */
  readonly struck: number;
}

interface ActiveFault {
  order: FaultOrder;
  left: number;
  struck: number;
}

/** A method that is held: its calls wait until they are let go. */
export interface Hold {
  /** How many calls wait now. */
  readonly waiting: number;
  /** Resolves when at least one call waits. */
  arrived(): Promise<void>;
  /** Lets every waiting call go, and holds no more. */
  release(): void;
}

interface ActiveHold {
  method: string;
  matches: (call: FaultCall) => boolean;
  gates: (() => void)[];
  arrivals: (() => void)[];
}

/** Orders of faults and holds; the first that matches a call strikes it. */
export class Faults {
  #faults: ActiveFault[] = [];
  #holds: ActiveHold[] = [];

  add(order: FaultOrder): Fault {
    const fault: ActiveFault = { order, left: order.times ?? 1, struck: 0 };
    this.#faults.push(fault);
    return {
      get struck() {
        return fault.struck;
      },
    };
  }

  /** Freezes calls of a method before they do anything. */
  hold(method: string, matches: (call: FaultCall) => boolean = () => true): Hold {
    const hold: ActiveHold = { method, matches, gates: [], arrivals: [] };
    this.#holds.push(hold);
    return {
      get waiting() {
        return hold.gates.length;
      },
      arrived: () =>
        new Promise((resolve) => (hold.gates.length > 0 ? resolve() : hold.arrivals.push(resolve))),
      release: () => this.#release(hold),
    };
  }

  /** Takes all orders back and lets every held call go. */
  clear(): void {
    this.#faults = [];
    for (const hold of [...this.#holds]) this.#release(hold);
  }

  /** The fault that strikes this call, if one does; it counts as struck. */
  take(call: FaultCall): Exclude<FaultAnswer, { type: "cut" }> | undefined {
    for (const fault of this.#faults) {
      const { answer } = fault.order;
      if (answer.type === "cut" || !strikes(fault.order, call)) continue;
      this.#strike(fault);
      return answer;
    }
    return undefined;
  }

  /** The order to cut uploads of this method, if there is one; it is struck only by one that is too large. */
  uploadCut(method: string): UploadCut | undefined {
    for (const fault of this.#faults) {
      const { answer, method: wanted = method } = fault.order;
      if (answer.type !== "cut" || wanted.toLowerCase() !== method.toLowerCase()) continue;
      return { afterBytes: answer.afterBytes, strike: () => this.#strike(fault) };
    }
    return undefined;
  }

  /** Waits while the call is held. */
  async pass(call: FaultCall): Promise<void> {
    const hold = this.#holds.find(({ method, matches }) => method === call.method && matches(call));
    if (!hold) return;
    await new Promise<void>((resolve) => {
      hold.gates.push(resolve);
      for (const arrive of hold.arrivals.splice(0)) arrive();
    });
  }

  #strike(fault: ActiveFault): void {
    fault.struck += 1;
    fault.left -= 1;
    if (fault.left <= 0) this.#faults = this.#faults.filter((other) => other !== fault);
  }

  #release(hold: ActiveHold): void {
    this.#holds = this.#holds.filter((other) => other !== hold);
    for (const open of hold.gates.splice(0)) open();
  }
}

function strikes({ method, chat, matches }: FaultOrder, call: FaultCall): boolean {
  if (method !== undefined && method.toLowerCase() !== call.method.toLowerCase()) return false;
  if (chat !== undefined && String(call.params.chat_id) !== String(chat)) return false;
  return matches?.(call) ?? true;
}
