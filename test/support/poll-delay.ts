import { type PollLoad, type PollStep, taskPauseMs } from "../../src/providers/service.js";

export interface RecordedWork {
  service: "fal" | "kie" | "replicate";
  kind: "image" | "video" | "audio";
  /** From the acceptance to the end. */
  durationsSec: readonly number[];
}

/** Short, usual and long tasks of each service, as the catalogue's polling schedules were judged in November 2026. */
export const RECORDED_WORK: readonly RecordedWork[] = [
  { service: "fal", kind: "image", durationsSec: [6, 12, 30] },
  { service: "replicate", kind: "image", durationsSec: [6, 15] },
  { service: "kie", kind: "image", durationsSec: [20, 50, 90] },
  { service: "fal", kind: "video", durationsSec: [60, 150, 300] },
  { service: "kie", kind: "video", durationsSec: [90, 180, 360] },
  { service: "kie", kind: "audio", durationsSec: [60, 120] },
];

/** Of a call about a task. The next pause begins after it. */
const ANSWER_MS = 100;
/** Work of the same name lasts longer or shorter by so much, evenly spread. */
const SPREAD = 0.1;
const RUNS = 2000;

/** From the end of work of about this duration to the start of the poll that finds it: the mean, the same in every run. */
export function pollDelayMs(steps: readonly PollStep[], load: PollLoad, durationMs: number): number {
  const random = seededRandom();
  let addedMs = 0;
  for (let run = 0; run < RUNS; run += 1) {
    const endsAt = durationMs * (1 + SPREAD * (2 * random() - 1));
    let at: number = taskPauseMs(steps, 0, load, () => 0);
    while (at < endsAt) {
      const answeredAt = at + ANSWER_MS;
      at = answeredAt + taskPauseMs(steps, answeredAt, load, random);
    }
    addedMs += at - endsAt;
  }
  return addedMs / RUNS;
}

/** Lehmer's generator. */
function seededRandom(): () => number {
  let state = 20_261_123;
  return () => {
    state = (state * 48_271) % 0x7fffffff;
    return state / 0x7fffffff;
  };
}
