import { setTimeout as pause } from "node:timers/promises";
import type { RunningProgram } from "./program.js";
import type { JobMoment } from "./programs/service-with-stub.js";
import type { BotApi } from "./server/bot-api.js";
import type { Crowd } from "./server/crowd.js";
import { ORDER } from "./server/script.js";

const NS_A_MS = 1e6;

export interface Waits {
  /** From the commit of the job's end to the complete photo at the server, ms. */
  fromDone: number;
  /** From the provider's answer: the file's way into the store and the commit are in it. */
  fromMade: number;
}

/** Orders pictures one after another at a service with the stub provider, and times each. */
export function timedOrders(
  service: RunningProgram,
  crowd: Crowd,
  { api, idleMs }: { api: BotApi; idleMs: number },
): () => Promise<Waits> {
  const moments = new Map<JobMoment["moment"], number>();
  service.child.on("message", (message: JobMoment) => {
    moments.set(message.moment, Number(message.atNs));
  });
  return async () => {
    await pause(idleMs);
    const photo = new Promise<number>((resolve) => {
      api.events.onPhoto = () => resolve(Number(process.hrtime.bigint()));
    });
    for (const step of ORDER.slice(0, -1)) await crowd.all(step);
    // The reply to a payment has no buttons: nobody waits for it.
    for (const step of ORDER.slice(-1)) void crowd.all(step);
    const receivedAt = await photo;
    await pause(idleMs);
    const since = (moment: JobMoment["moment"]) => (receivedAt - (moments.get(moment) ?? 0)) / NS_A_MS;
    return { fromDone: since("done"), fromMade: since("made") };
  };
}
