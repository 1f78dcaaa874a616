import type { Json } from "./params.js";

/**
 * What goes wrong. `when: "after"` does the work first, so that the client cannot know whether its
 * request was accepted.
 */
export type FaultAnswer =
  | { type: "429"; retryAfter: number }
  | { type: "status"; code: number; description: string; when?: "before" | "after"; body?: string }
  | { type: "reset"; when?: "before" | "after" }
  | { type: "hang"; when?: "before" | "after" }
  | { type: "delay"; ms: number };

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

/** An order that was placed. */
export interface Fault {
  /** How many calls it struck. */
  readonly struck: number;
  cancel(): void;
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
      cancel: () => this.#drop(fault),
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
  take(call: FaultCall): FaultAnswer | undefined {
    const fault = this.#faults.find(({ order }) => strikes(order, call));
    if (!fault) return undefined;
    fault.struck += 1;
    fault.left -= 1;
    if (fault.left <= 0) this.#drop(fault);
    return fault.order.answer;
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

  #drop(fault: ActiveFault): void {
    this.#faults = this.#faults.filter((other) => other !== fault);
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
