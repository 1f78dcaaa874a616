import type { Api } from "grammy";
import { type Clock, sleep } from "../../platform/clock.js";

type CallSignal = NonNullable<Parameters<Api["getMyStarBalance"]>[0]>;

/** Makes a call that is aborted after `ms`, or when `stopping` aborts. */
export async function callWithin<T>(
  clock: Clock,
  ms: number,
  call: (signal: CallSignal) => Promise<T>,
  stopping?: AbortSignal,
): Promise<T> {
  const ended = new AbortController();
  const deadline = new AbortController();
  void sleep(clock, ms, ended.signal, ...(stopping ? [stopping] : [])).then(() => deadline.abort());
  try {
    return await call(deadline.signal as unknown as CallSignal);
  } finally {
    ended.abort();
  }
}
