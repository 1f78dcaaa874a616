import type { PollSchedule } from "../../catalogue/mapping.js";
import { type Clock, sleep } from "../../platform/clock.js";
import { RateLimit } from "../../platform/rate-limit.js";
import type { UpstreamAdapter, UpstreamReference } from "../../providers/adapter.js";
import { deadlineMs, mappingSteps, type PollLoad, taskPauseMs } from "../../providers/poll-schedule.js";
import type { ServiceCalls } from "../../providers/service-calls.js";
import { askTask, type TaskAnswer } from "../../providers/task-poller.js";

export interface FollowOptions {
  adapter: UpstreamAdapter;
  calls: ServiceCalls;
  clock: Clock;
  poll: PollSchedule;
  /** Called for polls that say nothing of the task. */
  onGlitch: (detail: string) => void;
  signal: AbortSignal;
}

export type TaskEnd =
  | Extract<TaskAnswer, { kind: "ready" | "refused" | "failed" | "paused" }>
  | { kind: "timeout" }
  | { kind: "interrupted" };

/** The load of polls: nobody else asks about tasks. */
const ALONE: PollLoad = { inFlight: 1, perSec: undefined };

/** Polls a task by the schedule of its mapping, until it has ended or its deadline is over. */
export async function followTask(
  { adapter, calls, clock, poll, onGlitch, signal }: FollowOptions,
  reference: UpstreamReference,
): Promise<TaskEnd> {
  const acceptedAt = clock.now();
  for (;;) {
    const ageMs = clock.now() - acceptedAt;
    if (ageMs >= deadlineMs(poll)) return { kind: "timeout" };
    const pauseMs = taskPauseMs(mappingSteps(poll), ageMs, ALONE);
    await sleep(clock, pauseMs, signal);
    if (signal.aborted) return { kind: "interrupted" };
    const answer = await askTask({ adapter, calls, clock }, new RateLimit(clock), reference, signal);
    if (signal.aborted) return { kind: "interrupted" };
    switch (answer.kind) {
      case "ready":
      case "refused":
      case "failed":
      case "paused":
        return answer;
      case "glitch":
        onGlitch(answer.detail);
        break;
      case "unknown_task":
        onGlitch("the service does not know the task");
        break;
      case "throttled":
        onGlitch("too many polls");
        await sleep(clock, answer.retryAfterMs ?? 0, signal);
        break;
      case "pending":
        break;
    }
  }
}
