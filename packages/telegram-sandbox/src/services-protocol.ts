/** What the control API tells a person: `GET /control/summary` and `GET /control/faults`. */
export interface StandInSummary {
  services: readonly ServiceSummary[];
  /** The latest first. */
  tasks: readonly TaskSummary[];
  orders: readonly OrderedFault[];
}

export interface ServiceSummary {
  name: string;
  /** `good`, `no-credit`, `locked` or `wrong-key`. */
  account: string;
  /** It takes no connection. */
  isDown: boolean;
  waiting: number;
  running: number;
  /** What the tasks cost that were not refused, failed or cancelled, in the service's currency. */
  spent: { amount: number; currency: string };
  /** What the bot of the demo does about it, where the bot is in this process. */
  bot?: BotView;
}

export interface BotView {
  state: "up" | "paused" | "throttled" | "unreachable";
  /** Reason of a pause: `no_credit`, `locked` or `key_refused`. */
  reason?: string;
  /** Absent where only Resume ends it. */
  nextTryInMs?: number;
}

export interface TaskSummary {
  id: string;
  service: string;
  endpoint: string;
  state: "waiting" | "running" | "made" | "refused" | "failed" | "cancelled" | "lost";
  /** Place in the queue while it waits. */
  position?: number;
  /** Progress from 0 to 1 while it runs. */
  progress?: number;
  price: { amount: number; currency: string };
}

/** A fault of the next requests. */
export interface OrderedFault {
  fault: string;
  service?: string;
  times?: number;
}

export interface FaultHelp {
  orders: readonly OrderedFault[];
  /** Faults that `[fault:NAME]` in a prompt orders. */
  inPrompts: readonly { name: string; about: string }[];
}
