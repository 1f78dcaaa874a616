import type { Clock } from "../../platform/clock.js";

const ABORT_PATIENCE_MS = 1500;

export interface Deadline {
  /** Aborts at the deadline or when the service stops. */
  signal: AbortSignal;
  /** Rejects when the work continues long after the abort. */
  ignored: Promise<never>;
  wasIgnored(): boolean;
  close(): void;
}

/** Starts a deadline `delayMs` from now; undefined for none. The caller closes it when the work ends. */
export function openDeadline(clock: Clock, delayMs: number | undefined, stop: AbortSignal): Deadline {
  // One signal less for each of thousands of upstream jobs, at 1 kB.
  const controller = delayMs === undefined ? undefined : new AbortController();
  let isOver = false;
  let cancelPatience = () => {};
  let giveUp: (error: Error) => void = () => {};
  let wasIgnored = false;
  const ignored = new Promise<never>((_resolve, reject) => {
    giveUp = reject;
  });
  ignored.catch(() => {});
  const abort = () => {
    if (isOver) return;
    isOver = true;
    controller?.abort();
    cancelPatience = clock.after(ABORT_PATIENCE_MS, () => {
      wasIgnored = true;
      giveUp(new Error("the work ignored its abort"));
    });
  };
  const cancelDeadline = delayMs === undefined ? () => {} : clock.after(delayMs, abort);
  stop.addEventListener("abort", abort, { once: true });
  if (stop.aborted) abort();
  const close = () => {
    cancelDeadline();
    cancelPatience();
    stop.removeEventListener("abort", abort);
  };
  return { signal: controller?.signal ?? stop, ignored, wasIgnored: () => wasIgnored, close };
}
