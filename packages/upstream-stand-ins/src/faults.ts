import type { ServiceName } from "./service-name.js";

/** Moment at which a fault strikes. */
export type FaultMoment =
  | "connect"
  | "refuse"
  | "accept"
  | "task"
  | "poll"
  | "cancel"
  | "download"
  | "upload"
  | "callback";

interface FaultInfo {
  at: FaultMoment;
  about: string;
}

/** Everything that can go wrong on order. */
export const FAULTS = {
  "close-unread": {
    at: "connect",
    about: "the connection is closed before the body is read; nothing is accepted",
  },

  "rate-limited": { at: "refuse", about: "429 in the service's own words; nothing is accepted" },
  maintenance: { at: "refuse", about: "455 or 503 in the service's own words; nothing is accepted" },
  "policy-at-submit": {
    at: "refuse",
    about: "the content is refused at once, where the service looks at once",
  },
  "no-credit": { at: "refuse", about: "no money on the account" },
  locked: { at: "refuse", about: "the account is locked" },
  "wrong-key": { at: "refuse", about: "the key is refused" },
  "bad-gateway-before": { at: "refuse", about: "502 of a proxy; nothing is accepted" },

  "drop-after-accept": { at: "accept", about: "accepted, then the connection is cut without an answer" },
  "truncate-after-accept": { at: "accept", about: "accepted, then half of the answer and a cut" },
  "hang-after-accept": { at: "accept", about: "accepted, then never an answer" },
  "no-id": { at: "accept", about: "accepted, with an answer of success that names no task" },
  "html-after-accept": { at: "accept", about: "accepted, with a page of HTML and status 200" },
  "bad-gateway-after": { at: "accept", about: "accepted, with 502 of a proxy" },

  "policy-at-result": { at: "task", about: "the content is refused when the task ends" },
  "failed-at-result": { at: "task", about: "the service fails to make it" },
  "no-output": { at: "task", about: "the task succeeds and has no file" },
  "slow-queue": { at: "task", about: "the queue is twenty times as long" },
  "foreign-output": { at: "task", about: "the address of the result is on a host of somebody else" },

  "poll-502": { at: "poll", about: "502 of a proxy" },
  "poll-html": { at: "poll", about: "a page of HTML with status 200" },
  "poll-429": { at: "poll", about: "too many queries" },
  "poll-drop": { at: "poll", about: "the connection is cut" },
  "unknown-status": { at: "poll", about: "a status that the reference does not name" },
  "late-record": { at: "poll", about: "the task is not known yet (kie: 422, recordInfo is null)" },
  forgotten: { at: "poll", about: "the service has lost the task, now and later" },
  "cancel-too-late": { at: "cancel", about: "a cancel comes too late: the task goes on" },

  "expired-output": {
    at: "download",
    about: "the address has expired; a renewed one works (kie: always, else TIMES)",
  },
  "gone-output": { at: "download", about: "the file is gone for good" },
  "wrong-mime": { at: "download", about: "the right bytes as application/octet-stream" },
  "zero-byte": { at: "download", about: "an empty file" },
  "wrong-kind": { at: "download", about: "a page of HTML that claims to be the file" },
  "cut-download": { at: "download", about: "half of the file, then a cut" },
  "hang-download": { at: "download", about: "headers, then nothing" },
  redirect: { at: "download", about: "a redirect to an address inside the operator's network" },
  "huge-output": { at: "download", about: "a file that claims to have 10 GB" },

  "upload-fails": { at: "upload", about: "500 for an upload" },

  "callback-lost": { at: "callback", about: "the callback never comes" },
  "callback-late": { at: "callback", about: "the callback comes two minutes late" },
  "callback-first": { at: "callback", about: "the callback comes before the answer to the submit" },
  "callback-early": { at: "callback", about: "the callback tells success before the task has ended" },
  "callback-twice": { at: "callback", about: "the callback comes twice" },
  "callback-forged": {
    at: "callback",
    about: "a callback of somebody else names the task and a file of theirs",
  },
} as const satisfies Readonly<Record<string, FaultInfo>>;

export type FaultName = keyof typeof FAULTS;

export function isFaultName(value: unknown): value is FaultName {
  return typeof value === "string" && Object.hasOwn(FAULTS, value);
}

const NOT_IN_PROMPTS: ReadonlySet<FaultMoment> = new Set(["connect", "upload"]);

/** Faults that `[fault:NAME]` or `[fault:NAME:TIMES]` in a prompt orders. */
export const FAULTS_IN_PROMPTS = Object.entries(FAULTS).flatMap(([name, { at, about }]) =>
  NOT_IN_PROMPTS.has(at) ? [] : [{ name, about }],
);

/** The faults that a prompt orders, and how often each strikes. */
export function faultsInPrompt(prompt: string): Map<FaultName, number> {
  const found = new Map<FaultName, number>();
  for (const [, name, times] of prompt.matchAll(/\[fault:([a-z0-9-]+)(?::(\d+))?\]/g)) {
    if (isFaultName(name)) found.set(name, times === undefined ? 1 : Number(times));
  }
  return found;
}

export interface FaultOrder {
  fault: FaultName;
  /** Any service without it. */
  service?: ServiceName;
  /** How many requests it strikes: 1 by default. */
  times?: number;
}

/** Faults of the next requests, whatever these ask for. */
export class FaultOrders {
  #orders: { order: FaultOrder; left: number }[] = [];

  add(order: FaultOrder): void {
    this.#orders.push({ order, left: order.times ?? 1 });
  }

  /** Takes back the orders of a fault, of a service, or all. */
  clear({ fault, service }: { fault?: string; service?: ServiceName } = {}): void {
    this.#orders = this.#orders.filter(
      ({ order }) => order.fault !== (fault ?? order.fault) || order.service !== (service ?? order.service),
    );
  }

  list(): readonly FaultOrder[] {
    return this.#orders.map(({ order, left }) => ({ ...order, times: left }));
  }

  /** The orders that strike a request of a service at this moment, one of each; they count as struck. */
  take(moment: FaultMoment, service: ServiceName): FaultName[] {
    const struck = this.#orders.filter(
      ({ order }) => FAULTS[order.fault].at === moment && (order.service ?? service) === service,
    );
    for (const one of struck) one.left -= 1;
    this.#orders = this.#orders.filter(({ left }) => left > 0);
    return struck.map(({ order }) => order.fault);
  }
}
